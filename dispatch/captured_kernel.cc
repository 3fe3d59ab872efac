#include "dispatch/captured_kernel.h"

#include "kernels/cuda_status.h"

namespace tiletune {

absl::StatusOr<std::unique_ptr<CapturedKernel>> CapturedKernel::Capture(
    const std::function<absl::Status(cudaStream_t)>& enqueue,
    bool dependent_launch, cudaStream_t stream) {
  std::unique_ptr<CapturedKernel> captured(new CapturedKernel);
  captured->dependent_launch_ = dependent_launch;
  TILETUNE_RETURN_IF_CUDA_ERROR(
      cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  const absl::Status enqueued = enqueue(stream);
  TILETUNE_RETURN_IF_CUDA_ERROR(
      cudaStreamEndCapture(stream, &captured->graph_));
  if (!enqueued.ok()) return enqueued;
  const absl::Status read = captured->Read();
  if (!read.ok()) return read;
  return captured;
}

absl::Status CapturedKernel::Read() {
  size_t count = 0;
  TILETUNE_RETURN_IF_CUDA_ERROR(cudaGraphGetNodes(graph_, nullptr, &count));
  if (count != 1) {
    return absl::FailedPreconditionError(
        absl::StrCat("the launch is ", count, " nodes, not one kernel"));
  }
  cudaGraphNode_t node = nullptr;
  TILETUNE_RETURN_IF_CUDA_ERROR(cudaGraphGetNodes(graph_, &node, &count));
  TILETUNE_RETURN_IF_CUDA_ERROR(cudaGraphKernelNodeGetParams(node, &params_));
  cudaLaunchAttributeValue value = {};
  TILETUNE_RETURN_IF_CUDA_ERROR(cudaGraphKernelNodeGetAttribute(
      node, cudaLaunchAttributeClusterDimension, &value));
  if (value.clusterDim.x != 0) cluster_ = value.clusterDim.x;
  return absl::OkStatus();
}

CapturedKernel::~CapturedKernel() {
  if (graph_ != nullptr) cudaGraphDestroy(graph_);
}

absl::Status CapturedKernel::Launch(cudaStream_t stream) const {
  cudaLaunchAttribute attributes[2];
  cudaLaunchConfig_t launch = {};
  launch.gridDim = params_.gridDim;
  launch.blockDim = params_.blockDim;
  launch.dynamicSmemBytes = params_.sharedMemBytes;
  launch.stream = stream;
  launch.attrs = attributes;
  if (cluster_ > 1) {
    cudaLaunchAttribute& attribute = attributes[launch.numAttrs++];
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = cluster_;
    attribute.val.clusterDim.y = 1;
    attribute.val.clusterDim.z = 1;
  }
  if (dependent_launch_) {
    cudaLaunchAttribute& attribute = attributes[launch.numAttrs++];
    attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attribute.val.programmaticStreamSerializationAllowed = 1;
  }
  return CudaStatus(
      cudaLaunchKernelExC(&launch, params_.func, params_.kernelParams),
      "cudaLaunchKernelExC");
}

}  // namespace tiletune
