#include "autotune/commands/program_testing.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <filesystem>

namespace tiletune {
std::string ProgramPath(const char* variable) {
  const char* path = std::getenv(variable);
  return std::filesystem::absolute(path == nullptr ? "" : path);
}

std::vector<std::string> FakeTune(const std::string& db,
                                  const std::vector<std::string>& shapes,
                                  const std::vector<std::string>& more) {
  std::vector<std::string> arguments = {"tune", "--device=fake:1",
                                        "--include-unproven", "--db=" + db};
  const auto names_kernels = [](const std::string& argument) {
    return argument.rfind("--kernels=", 0) == 0;
  };
  if (std::none_of(more.begin(), more.end(), names_kernels)) {
    arguments.push_back("--kernels=sm90_16b_64x*x64_*");
  }
  for (const std::string& shape : shapes) {
    arguments.push_back("--shape=" + shape);
  }
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

std::vector<std::string> ModelTune(const std::string& db,
                                   const std::string& shape,
                                   const std::string& device) {
  return {"tune", "--device=" + device, "--shape=" + shape, "--db=" + db};
}

void Program::Become(const std::vector<std::string>& arguments,
                     int output) const {
  for (int stream : {STDOUT_FILENO, STDERR_FILENO}) {
    if (output >= 0) dup2(output, stream);
    if (output < 0) close(stream);
  }
  if (output < 0) close(STDIN_FILENO);
  const std::string path = ProgramPath(variable_);
  if (chdir(folder().c_str()) != 0) _exit(127);
  unsetenv("BUILD_WORKING_DIRECTORY");
  for (const auto& [name, value] : environment_) {
    setenv(name.c_str(), value.c_str(), 1);
  }
  std::vector<char*> raw = {const_cast<char*>("autotune")};
  for (const std::string& argument : arguments) {
    raw.push_back(const_cast<char*>(argument.c_str()));
  }
  raw.push_back(nullptr);
  execv(path.c_str(), raw.data());
  _exit(127);
}

Program::Result Program::Run(const std::vector<std::string>& arguments) const {
  int ends[2];
  if (pipe(ends) != 0) return {};
  const pid_t pid = fork();
  if (pid == 0) Become(arguments, ends[1]);
  close(ends[1]);
  Result result;
  char buffer[4096];
  while (true) {
    const ssize_t n = read(ends[0], buffer, sizeof(buffer));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) break;
    result.output.append(buffer, n);
  }
  close(ends[0]);
  int status = 0;
  waitpid(pid, &status, 0);
  result.status =
      WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  return result;
}

pid_t Program::Start(const std::vector<std::string>& arguments,
                     const char* output) const {
  const pid_t pid = fork();
  if (pid == 0) {
    Become(arguments, output == nullptr ? -1 : open(output, O_WRONLY));
  }
  return pid;
}

bool Has(const Program::Result& result, const std::string& text) {
  return result.output.find(text) != std::string::npos;
}

}  // namespace tiletune
