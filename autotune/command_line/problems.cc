#include "autotune/command_line/problems.h"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <unordered_set>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "autotune/command_line/models.h"
#include "autotune/command_line/shard.h"
#include "autotune/store/shape_log.h"
#include "autotune/store/text_lines.h"
#include "kernels/user_path.h"

namespace tiletune {
namespace {

absl::Status Within(const absl::Status& status, absl::string_view where) {
  return absl::Status(status.code(),
                      absl::StrCat(where, ": ", status.message()));
}

absl::Status SetEpilogue(const std::string& text, GemmProblem* p) {
  Epilogue& e = p->epilogue;
  for (const std::string& word : std::vector<std::string>(
           absl::StrSplit(text, absl::ByAnyChar(",;"), absl::SkipEmpty()))) {
    if (word == "none") continue;
    const bool is_bias = word.rfind("bias-", 0) == 0;
    const bool is_scale = word.rfind("scale-", 0) == 0;
    const bool is_activation =
        word == "relu" || word == "gelu" || word == "silu";
    if ((is_bias && e.bias != Bias::kNone) ||
        (is_scale && p->scaling != Scaling::kNone) ||
        (is_activation && e.activation != Activation::kNone)) {
      return absl::InvalidArgumentError(absl::StrCat(
          "--epilogue=", text, ": '", word,
          "' is one too many: at most one bias, scaling and activation"));
    }
    if (word == "c") {
      e.reads_c = true;
    } else if (word == "bias-row") {
      e.bias = Bias::kPerRow;
    } else if (word == "bias-column") {
      e.bias = Bias::kPerColumn;
    } else if (word == "relu") {
      e.activation = Activation::kRelu;
    } else if (word == "gelu") {
      e.activation = Activation::kGelu;
    } else if (word == "silu") {
      e.activation = Activation::kSilu;
    } else if (word == "amax") {
      e.amax = true;
    } else if (word == "scale-tensor") {
      p->scaling = Scaling::kPerTensor;
    } else if (word == "scale-row-column") {
      p->scaling = Scaling::kPerRowColumn;
    } else if (word == "scale-block128") {
      p->scaling = Scaling::kBlock128;
    } else {
      return absl::InvalidArgumentError(absl::StrCat(
          "--epilogue: '", word,
          "' is none of c, bias-row, bias-column, relu, gelu, silu, ",
          "scale-tensor, scale-row-column, scale-block128, amax, none"));
    }
  }
  return absl::OkStatus();
}

// "A,B,C,D" into four strides; trailing and empty fields stay packed.
absl::Status SetStrides(const char* flag, const std::string& text,
                        const std::vector<int64_t*>& strides) {
  if (text.empty()) return absl::OkStatus();
  const std::vector<std::string> fields =
      absl::StrSplit(text, absl::ByAnyChar(",;"));
  if (fields.size() > strides.size()) {
    return absl::InvalidArgumentError(
        absl::StrCat(flag, "=", text, " has more than four fields"));
  }
  for (size_t i = 0; i < fields.size(); ++i) {
    if (fields[i].empty()) continue;
    if (!absl::SimpleAtoi(fields[i], strides[i]) || *strides[i] < 0) {
      return absl::InvalidArgumentError(absl::StrCat(
          flag, "=", text, ": '", fields[i], "' is no count of elements"));
    }
  }
  return absl::OkStatus();
}

absl::Status SetTypes(const Options& options, GemmProblem* p) {
  const absl::StatusOr<DataType> in = ParseDataType(options.dtype);
  if (!in.ok()) return Within(in.status(), "--dtype");
  p->a_type = p->b_type = *in;
  if (!options.out_dtype.empty()) {
    const absl::StatusOr<DataType> out = ParseDataType(options.out_dtype);
    if (!out.ok()) return Within(out.status(), "--out-dtype");
    p->d_type = *out;
  } else {
    p->d_type = BitsOf(*in) == 8 ? DataType::kBf16 : *in;
  }
  // C has the type of D; no 8-bit C is supported.
  p->c_type = BitsOf(p->d_type) == 8 ? DataType::kBf16 : p->d_type;
  const absl::StatusOr<Layout> layout = ParseLayout(options.layout);
  if (!layout.ok()) return Within(layout.status(), "--layout");
  p->layout = *layout;
  return absl::OkStatus();
}

// Overrides the fields of `options` that the line has a value for.
absl::Status SetColumn(const std::string& column, const std::string& value,
                       Shape* shape, Options* options) {
  const std::pair<const char*, int64_t*> sizes[] = {{"m", &shape->m},
                                                    {"n", &shape->n},
                                                    {"k", &shape->k},
                                                    {"batch", &shape->batch}};
  for (const auto& [name, size] : sizes) {
    if (column == name && !absl::SimpleAtoi(value, size)) {
      return absl::InvalidArgumentError(
          absl::StrCat("'", value, "' is no number for ", column));
    }
  }
  const std::pair<const char*, std::string*> texts[] = {
      {"dtype", &options->dtype},   {"out_dtype", &options->out_dtype},
      {"layout", &options->layout}, {"epilogue", &options->epilogue},
      {"ld", &options->ld},         {"batch_stride", &options->batch_stride}};
  for (const auto& [name, text] : texts) {
    if (column == name) *text = value;
  }
  return absl::OkStatus();
}

constexpr const char* kColumns[] = {
    "m",         "n",      "k",        "batch", "dtype",
    "out_dtype", "layout", "epilogue", "ld",    "batch_stride"};

// Whose fields are for people.
bool IsComment(const std::string& column) {
  return column.empty() || column[0] == '#' || column == "name";
}

absl::Status CheckColumns(const std::vector<std::string>& columns) {
  const std::string known = absl::StrJoin(kColumns, ", ");
  for (const std::string& column : columns) {
    if (IsComment(column)) continue;
    const bool is_known = std::find(std::begin(kColumns), std::end(kColumns),
                                    column) != std::end(kColumns);
    if (is_known && std::count(columns.begin(), columns.end(), column) == 1) {
      continue;
    }
    return absl::InvalidArgumentError(
        absl::StrCat("the first line names the columns, and ",
                     is_known ? "names this one twice" : "this is none", ": '",
                     column, "'; there are ", known,
                     ", and, for people, name and what starts with #"));
  }
  for (const char* required : {"m", "n", "k"}) {
    if (std::count(columns.begin(), columns.end(), required) == 1) continue;
    return absl::InvalidArgumentError(
        absl::StrCat("the first line names the columns, and '", required,
                     "' is not among them; there are ", known));
  }
  return absl::OkStatus();
}

std::vector<std::string> Fields(const std::string& line) {
  std::vector<std::string> fields = absl::StrSplit(line, ',');
  for (std::string& field : fields) absl::StripAsciiWhitespace(&field);
  return fields;
}

absl::StatusOr<std::vector<GemmProblem>> ReadFile(const std::string& path,
                                                  const Options& options) {
  std::ifstream file(path);
  if (!file) {
    return absl::NotFoundError(
        absl::StrCat(path, ": cannot be read: ", strerror(errno)));
  }
  absl::StatusOr<std::vector<GemmProblem>> problems =
      ReadProblems(file, options);
  if (!problems.ok()) return Within(problems.status(), path);
  return problems;
}

absl::StatusOr<std::vector<GemmProblem>> ReadLog(const std::string& path,
                                                 LaunchCounts* launches) {
  LeftOutLines left_out;
  const absl::StatusOr<std::vector<LoggedShape>> log =
      ReadShapeLog(path, &left_out);
  if (!log.ok()) return Within(log.status(), path);
  if (left_out.count != 0) {
    std::fprintf(stderr, "autotune: %s: %lld lines left out; the first: %s\n",
                 path.c_str(), static_cast<long long>(left_out.count),
                 left_out.first.c_str());
  }
  std::vector<GemmProblem> problems;
  for (const LoggedShape& s : *log) {
    problems.push_back(Normalized(s.problem));
    if (launches != nullptr)
      (*launches)[ProblemKey(problems.back())] = s.launches;
  }
  return problems;
}

// Named, or nothing else is.
bool UsesModels(const Options& options) {
  return options.given.count("models") != 0 ||
         (options.shapes.empty() && options.problems.empty() &&
          options.shapes_file.empty() && options.from_log.empty());
}

// Whole problems have types and strides of their own.
absl::Status CheckFlagsAreUsed(const Options& options) {
  if (!options.shapes.empty() || !options.shapes_file.empty() ||
      UsesModels(options)) {
    return absl::OkStatus();
  }
  return CheckNoTypeFlag(options,
                         options.from_log.empty() ? "--problem" : "--from-log");
}

}  // namespace

absl::Status CheckNoTypeFlag(const Options& options, const std::string& whose) {
  for (const char* flag :
       {"dtype", "out-dtype", "layout", "epilogue", "ld", "batch-stride"}) {
    if (options.given.count(flag) == 0) continue;
    return absl::InvalidArgumentError(
        absl::StrCat("--", flag, ": the problems of ", whose,
                     " say that themselves: leave it out, or name a --shape"));
  }
  return absl::OkStatus();
}

absl::StatusOr<GemmProblem> ProblemOf(const Shape& shape,
                                      const Options& options) {
  GemmProblem p;
  p.m = shape.m;
  p.n = shape.n;
  p.k = shape.k;
  p.batch = shape.batch;
  absl::Status status = SetTypes(options, &p);
  if (status.ok()) status = SetEpilogue(options.epilogue, &p);
  if (status.ok()) {
    status = SetStrides("--ld", options.ld, {&p.lda, &p.ldb, &p.ldc, &p.ldd});
  }
  if (status.ok()) {
    status = SetStrides("--batch-stride", options.batch_stride,
                        {&p.batch_stride_a, &p.batch_stride_b,
                         &p.batch_stride_c, &p.batch_stride_d});
  }
  if (status.ok()) status = Validate(p);
  if (!status.ok()) return status;
  return Normalized(p);
}

absl::StatusOr<std::vector<GemmProblem>> ReadProblems(std::istream& csv,
                                                      const Options& options) {
  std::vector<GemmProblem> problems;
  std::vector<std::string> columns;
  std::string line;
  for (int number = 1;; ++number) {
    const std::string where = absl::StrCat("line ", number);
    const absl::StatusOr<bool> more = ReadLine(csv, kLongestShape, &line);
    if (!more.ok()) return Within(more.status(), where);
    if (!*more) return problems;
    // The byte order mark that spreadsheets put before UTF-8.
    if (number == 1 && line.rfind("\xEF\xBB\xBF", 0) == 0) line.erase(0, 3);
    absl::StripAsciiWhitespace(&line);
    if (line.empty() || line[0] == '#') continue;
    const std::vector<std::string> fields = Fields(line);
    if (columns.empty()) {
      columns = fields;
      const absl::Status status = CheckColumns(columns);
      if (!status.ok()) return Within(status, where);
      continue;
    }
    if (fields.size() != columns.size()) {
      return absl::InvalidArgumentError(
          absl::StrCat(where, ": ", fields.size(), " fields under ",
                       columns.size(), " columns"));
    }
    Shape shape;
    Options own = options;
    for (size_t i = 0; i < fields.size(); ++i) {
      if (fields[i].empty() || IsComment(columns[i])) continue;
      const absl::Status status =
          SetColumn(columns[i], fields[i], &shape, &own);
      if (!status.ok()) return Within(status, where);
    }
    const absl::StatusOr<Shape> checked = ParseShape(ToString(shape));
    if (!checked.ok()) return Within(checked.status(), where);
    const absl::StatusOr<GemmProblem> problem = ProblemOf(*checked, own);
    if (!problem.ok()) return Within(problem.status(), where);
    problems.push_back(*problem);
  }
}

absl::StatusOr<std::vector<GemmProblem>> ProblemsOf(const Options& options,
                                                    LaunchCounts* launches) {
  if (!options.shapes_file.empty() && !options.from_log.empty()) {
    return absl::InvalidArgumentError(
        "--shapes and --from-log: only one of them is read; tune them one "
        "after another");
  }
  const absl::Status useful = CheckFlagsAreUsed(options);
  if (!useful.ok()) return useful;
  std::vector<GemmProblem> all;
  std::vector<Shape> shapes = options.shapes;
  if (!options.shapes_file.empty()) {
    absl::StatusOr<std::vector<GemmProblem>> read =
        ReadFile(UserPath(options.shapes_file), options);
    if (!read.ok()) return read.status();
    all = *std::move(read);
  } else if (!options.from_log.empty()) {
    absl::StatusOr<std::vector<GemmProblem>> read =
        ReadLog(UserPath(options.from_log), launches);
    if (!read.ok()) return read.status();
    all = *std::move(read);
  }
  if (UsesModels(options)) {
    const absl::StatusOr<std::vector<Shape>> built_in =
        ShapesOfModels(options.models);
    if (!built_in.ok()) return Within(built_in.status(), "--models");
    shapes.insert(shapes.end(), built_in->begin(), built_in->end());
  }
  for (const Shape& shape : shapes) {
    const absl::StatusOr<GemmProblem> problem = ProblemOf(shape, options);
    if (!problem.ok()) return Within(problem.status(), ToString(shape));
    all.push_back(*problem);
  }
  for (const std::string& key : options.problems) {
    const absl::StatusOr<GemmProblem> problem = ParseProblemKey(key);
    if (!problem.ok()) return Within(problem.status(), "--problem");
    if (problem->m == 0 || problem->n == 0 || problem->batch == 0) {
      return absl::InvalidArgumentError(
          absl::StrCat("--problem=", key, " has no element to compute"));
    }
    all.push_back(Normalized(*problem));
  }
  if (all.empty()) {
    return absl::InvalidArgumentError(absl::StrCat(
        UserPath(options.shapes_file.empty() ? options.from_log
                                             : options.shapes_file),
        ": no problem in it"));
  }
  std::vector<GemmProblem> distinct;
  std::unordered_set<std::string> seen;
  for (const GemmProblem& problem : all) {
    if (seen.insert(ProblemKey(problem)).second) distinct.push_back(problem);
  }
  return ShardOf(distinct, options.shard, options.shards);
}

}  // namespace tiletune
