/** What an array is to the reference kernels. */
export type Numbers = Float32Array | Int32Array;
