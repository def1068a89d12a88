export { buildNative, type NativeBuild, type NativeBuildOptions } from "./build.ts";
export { loadNativeKernels, type NativeKernelsOptions, nativeInstructionSets } from "./native.ts";
export { KERNEL_CHOICES, type KernelSelection, readWasmKernels, selectKernels } from "./select.ts";
