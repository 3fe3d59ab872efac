#include "testing/emulator/runtime/transfer.h"

#include <cstdint>
#include <vector>

#include "gtest/gtest.h"

namespace tiletune::emulator::runtime {
namespace {

void* Pointer(uint64_t address) { return reinterpret_cast<void*>(address); }

TEST(Copy, BetweenDevicePlacesLeavesUninitialisedBytesSo) {
  GlobalMemory memory;
  const uint64_t from = memory.Allocate(8, "from");
  const uint64_t to = memory.Allocate(8, "to");
  ASSERT_EQ(Fill(memory, Pointer(from), 7, 1, 4), cudaSuccess);
  ASSERT_EQ(Fill(memory, Pointer(to), 0, 1, 8), cudaSuccess);
  ASSERT_EQ(Copy(memory, Pointer(to), Pointer(from), 8, cudaMemcpyDefault),
            cudaSuccess);
  const GlobalMemory::Allocation* copied = memory.Find(to, 8);
  EXPECT_EQ(copied->data[0], 7);
  EXPECT_EQ(copied->initialised[3], 1);
  EXPECT_EQ(copied->initialised[4], 0);
}

TEST(Copy, ChecksTheSidesThatItsKindNames) {
  GlobalMemory memory;
  const uint64_t device = memory.Allocate(8, "device");
  char host[8] = {};
  EXPECT_EQ(Copy(memory, Pointer(device), host, 8, cudaMemcpyHostToDevice),
            cudaSuccess);
  EXPECT_EQ(Copy(memory, host, Pointer(device), 8, cudaMemcpyDeviceToHost),
            cudaSuccess);
  EXPECT_EQ(Copy(memory, host, host, 8, cudaMemcpyDeviceToHost),
            cudaErrorInvalidValue);
  EXPECT_EQ(
      Copy(memory, Pointer(device), host, 8, static_cast<cudaMemcpyKind>(9)),
      cudaErrorInvalidMemcpyDirection);
}

// A freed or made-up device address must not be taken for the host's.
TEST(Copy, RefusesDeviceAddressesOutsideAnyAllocation) {
  GlobalMemory memory;
  const uint64_t device = memory.Allocate(8, "device");
  ASSERT_TRUE(memory.Free(device));
  char host[8] = {};
  EXPECT_EQ(Copy(memory, host, Pointer(device), 8, cudaMemcpyDefault),
            cudaErrorInvalidValue);
  EXPECT_EQ(Copy(memory, host, nullptr, 8, cudaMemcpyDefault),
            cudaErrorInvalidValue);
}

TEST(Fill, SetsWholeElements) {
  GlobalMemory memory;
  const uint64_t device = memory.Allocate(8, "device");
  ASSERT_EQ(Fill(memory, Pointer(device), 0x04030201, 4, 2), cudaSuccess);
  std::vector<uint8_t> bytes(8);
  ASSERT_TRUE(memory.Read(device, bytes.data(), 8));
  EXPECT_EQ(bytes, (std::vector<uint8_t>{1, 2, 3, 4, 1, 2, 3, 4}));
  EXPECT_EQ(Fill(memory, Pointer(device), 0, 4, 3), cudaErrorInvalidValue);
}

}  // namespace
}  // namespace tiletune::emulator::runtime
