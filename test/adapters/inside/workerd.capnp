using Workerd = import "/workerd/workerd.capnp";

const config :Workerd.Config = (
  services = [
    (name = "suite", worker = .suite),
    (name = "internet", network = (allow = ["private"])),
  ],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "suite")],
);

const suite :Workerd.Worker = (
  modules = [
    (name = "workerd.mjs", esModule = embed "workerd.mjs"),
    (name = "suite.js", esModule = embed "suite.js"),
    (name = "quickjs.wasm", wasm = embed "quickjs.wasm"),
  ],
  compatibilityDate = "2026-04-01",
  compatibilityFlags = ["no_nodejs_compat", "no_nodejs_compat_v2"],
);
