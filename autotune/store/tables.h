// The SQL of the tables and views; docs/database.md explains the columns.
//
//   connection->Execute(kTablesV1);
//   connection->Execute(std::string("CREATE VIEW ") + kViews[0].name +
//                       " AS " + kViews[0].select);
//   for (const ViewSql& view : kViews) Drop(view.name);
#ifndef TILETUNE_AUTOTUNE_STORE_TABLES_H_
#define TILETUNE_AUTOTUNE_STORE_TABLES_H_

namespace tiletune {

// Devices, problems and configs are known by their keys, everything else by a
// random uid or by its whole content: so a merge of two files is a union.
extern const char kTablesV1[];
extern const char kTablesV2[];
extern const char kTablesV3[];

struct ViewSql {
  const char* name;
  const char* select;
};

// In the order in which they lean on each other.
inline constexpr int kViewCount = 5;
extern const ViewSql kViews[kViewCount];

}  // namespace tiletune

#endif  // TILETUNE_AUTOTUNE_STORE_TABLES_H_
