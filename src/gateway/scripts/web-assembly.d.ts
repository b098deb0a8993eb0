/** What the engine of scripts uses of WebAssembly; the types of Node leave it out, those of browsers bring the DOM. */
declare namespace WebAssembly {
  interface Module {
    readonly [Symbol.toStringTag]: string
  }
  interface Memory {
    readonly buffer: ArrayBuffer
  }
  interface Global {
    value: unknown
  }
  interface Instance {
    readonly exports: Readonly<Record<string, unknown>>
  }
  type Imports = Record<string, Record<string, unknown>>
  type Exports = Instance['exports']
  interface RuntimeError extends Error {}
  var Module: new (bytes: Uint8Array<ArrayBuffer>) => Module
  var Memory: new (size: { initial: number; maximum: number }) => Memory
  var Global: new () => Global
  var Instance: new (module: Module, imports: Imports) => Instance
  var RuntimeError: new () => RuntimeError
}
