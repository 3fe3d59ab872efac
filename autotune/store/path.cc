#include "autotune/store/path.h"

#include <sys/statfs.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>

#include "kernels/user_path.h"

namespace tiletune {
namespace {

std::string Variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

}  // namespace

std::string DefaultDatabasePath() {
  const std::string chosen = Variable("TILETUNE_DB");
  if (!chosen.empty()) return UserPath(chosen);
  const std::string data = Variable("XDG_DATA_HOME");
  if (!data.empty() && data[0] == '/') return data + "/tiletune/tiletune.db";
  const std::string home = Variable("HOME");
  if (!home.empty()) return home + "/.local/share/tiletune/tiletune.db";
  return "/tmp/tiletune-" + std::to_string(getuid()) + "/tiletune.db";
}

bool OnNetworkFilesystem(const std::string& path) {
  // f_type of statfs(2), and of the filesystems' own sources for the last
  // three (Lustre, GPFS, BeeGFS).
  constexpr uint32_t kShared[] = {
      0x6969,      // NFS
      0x517b,      // SMB
      0xff534d42,  // CIFS
      0xfe534d42,  // SMB2
      0x5346414f,  // AFS
      0x00c36400,  // Ceph
      0x01161970,  // GFS2
      0x7461636f,  // OCFS2
      0x01021997,  // 9p
      0x0bd00bd0,  // Lustre
      0x47504653,  // GPFS
      0x19830326,  // BeeGFS
  };
  struct statfs facts;
  std::string at = path;
  while (statfs(at.empty() ? "." : at.c_str(), &facts) != 0) {
    if (at.empty() || at == "/") return false;
    const size_t slash = at.find_last_of('/');
    at = slash == std::string::npos ? ""
         : slash == 0               ? "/"
                                    : at.substr(0, slash);
  }
  for (uint32_t type : kShared) {
    if (static_cast<uint32_t>(facts.f_type) == type) return true;
  }
  return false;
}

}  // namespace tiletune
