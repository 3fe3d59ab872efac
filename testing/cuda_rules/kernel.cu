extern "C" __global__ void Nothing() {}
