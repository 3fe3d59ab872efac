// SparePtx: PTX files that stand in for kernels whose own code has none, as in
// programs that were compiled to machine code alone.
//
// Use it when the program cannot be built again with its PTX embedded, but the
// PTX can be had: from nvcc -ptx on the same source, or a compiler's cache.
//
//   SparePtx spare;
//   absl::Status added = spare.Add("gemm.ptx:/folder/of/more");
//   const std::string* text = spare.Find("_Z4gemmPf");
//   if (text != nullptr) device.Load(*text);
#ifndef TILETUNE_TESTING_EMULATOR_RUNTIME_SPARE_PTX_H_
#define TILETUNE_TESTING_EMULATOR_RUNTIME_SPARE_PTX_H_

#include <map>
#include <string>

#include "absl/status/status.h"

namespace tiletune::emulator::runtime {

class SparePtx {
 public:
  // `paths`: files, and folders whose *.ptx files are meant, separated by
  // colons. InvalidArgument names what cannot be read, and folders
  // without any.
  absl::Status Add(const std::string& paths);

  // The text of the first file added that defines the entry; null if none
  // does. It lives as long as this object.
  const std::string* Find(const std::string& entry);

 private:
  absl::Status AddFile(const std::string& path);

  std::map<std::string, std::string> path_of_entry_;
  std::map<std::string, std::string> text_of_path_;  // of those asked for
};

}  // namespace tiletune::emulator::runtime

#endif  // TILETUNE_TESTING_EMULATOR_RUNTIME_SPARE_PTX_H_
