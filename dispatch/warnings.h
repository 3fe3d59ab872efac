// Says each thing once, to stderr or to whoever asked.
//
//   Warnings warnings(nullptr);           // stderr
//   warnings.Say("x.db: it is damaged");  // "tiletune: x.db: it is damaged"
//   warnings.Say("x.db: it is damaged");  // nothing
//   Warnings mine([](const std::string& text) { Log(text); });
#ifndef TILETUNE_DISPATCH_WARNINGS_H_
#define TILETUNE_DISPATCH_WARNINGS_H_

#include <functional>
#include <mutex>
#include <set>
#include <string>

namespace tiletune {

using WarningSink = std::function<void(const std::string&)>;

// Safe from several threads at once.
class Warnings {
 public:
  explicit Warnings(WarningSink sink);

  // After kMost different texts there is one more, which says that the rest is
  // not shown.
  void Say(const std::string& text);

  static constexpr size_t kMost = 20;

 private:
  std::mutex mutex_;
  WarningSink sink_;
  std::set<std::string> said_;
};

}  // namespace tiletune

#endif  // TILETUNE_DISPATCH_WARNINGS_H_
