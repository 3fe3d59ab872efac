// DeviceBuffer: device memory that frees itself.
//
//   absl::StatusOr<DeviceBuffer> buffer = DeviceBuffer::Allocate(bytes);
//   if (!buffer.ok()) return buffer.status();   // ResourceExhausted
//   absl::Status s = buffer->Fill(0xff, stream);
//   args.d = buffer->data();
#ifndef TILETUNE_KERNELS_TIMING_DEVICE_BUFFER_H_
#define TILETUNE_KERNELS_TIMING_DEVICE_BUFFER_H_

#include <cstddef>
#include <cstdint>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "kernels/gemm.h"

namespace tiletune {

class DeviceBuffer {
 public:
  // On the current device; aligned to 256 bytes. 0 bytes: data() is null.
  static absl::StatusOr<DeviceBuffer> Allocate(size_t bytes);

  DeviceBuffer() = default;
  DeviceBuffer(DeviceBuffer&& other) noexcept { *this = std::move(other); }
  DeviceBuffer& operator=(DeviceBuffer&& other) noexcept;
  ~DeviceBuffer();

  // Enqueues a fill with one byte value. 0xff is NaN in every DataType.
  absl::Status Fill(uint8_t value, GpuStream stream);

  void* data() const { return data_; }
  size_t size() const { return size_; }

 private:
  void* data_ = nullptr;
  size_t size_ = 0;
};

}  // namespace tiletune

#endif  // TILETUNE_KERNELS_TIMING_DEVICE_BUFFER_H_
