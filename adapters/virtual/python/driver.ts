// How a program is run, in Python: text that is evaluated once, before any program, and is a part of the picture of memory.

/**
 * Defines `sameloop_run(source, settings, ask)`, a coroutine that gives `[exit code, whether a limit ended it]` as JSON.
 * `settings` is JSON, `ask(kind, ...texts)` a function of ours that promises JSON: `{ ok, value }` or `{ ok, message, code }`.
 */
export const driverText: string = String.raw`
def sameloop_run():
    import ast, asyncio, base64, builtins, collections, csv, dataclasses, datetime, decimal, fractions, functools
    import gc, glob, hashlib, html, inspect, io, itertools, json, linecache, math, operator, os, pathlib, random, re
    import shutil, statistics, string, sys, tempfile, textwrap, time, traceback, types, typing

    NAME = "program.py"

    class ToolError(Exception):
        """A call of a tool that failed or was refused; code says how."""
        def __init__(self, message, code=None):
            super().__init__(message)
            self.code = code
    ToolError.__module__, ToolError.__qualname__ = "builtins", "ToolError"

    class Awaiting(ast.NodeTransformer):
        """asyncio.run(x) at the top level waits for x: the loop runs already."""
        def visit_FunctionDef(self, node):
            return node
        visit_AsyncFunctionDef = visit_ClassDef = visit_Lambda = visit_FunctionDef
        def visit_Call(self, node):
            self.generic_visit(node)
            called = node.func
            if not (isinstance(called, ast.Attribute) and called.attr == "run" and len(node.args) == 1):
                return node
            if not (isinstance(called.value, ast.Name) and called.value.id == "asyncio"):
                return node
            return ast.copy_location(ast.Await(node.args[0]), node)

    def shown(value):
        try:
            return json.dumps(value, ensure_ascii=False, allow_nan=False)
        except (TypeError, ValueError, RecursionError):
            return repr(value)

    def own_frames(error, seen):
        """Leaves only the frames of the program."""
        if error is None or id(error) in seen or len(seen) > 20:
            return
        seen.add(id(error))
        error.stack = traceback.StackSummary.from_list([f for f in error.stack if f.filename == NAME][-12:])
        for inner in [error.__cause__, error.__context__, *(error.exceptions or [])]:
            own_frames(inner, seen)

    def words_of(error):
        if isinstance(error, SyntaxError) and error.filename == NAME:
            return "".join(traceback.format_exception_only(error))
        told = traceback.TracebackException.from_exception(error, limit=-1000, compact=True)
        own_frames(told, set())
        return "".join(told.format())

    def complain(error):
        """What an exit or an exception comes to."""
        if isinstance(error, SystemExit):
            code = error.code
            if code is None or isinstance(code, int):
                return (code or 0) & 255, False
            print(code, file=sys.stderr)
            return 1, False
        try:
            text = words_of(error)
        except BaseException:
            text = type(error).__name__ + "\n"
        if len(text) > 10000:
            text = text[:3000] + "\n…\n" + text[-7000:]
        print(text, end="", file=sys.stderr)
        if isinstance(error, KeyboardInterrupt):
            return 130, False
        return 1, isinstance(error, (MemoryError, RecursionError))

    def asker(ask):
        async def asked(kind, *texts):
            answer = json.loads(await ask(kind, *texts))
            if not answer["ok"]:
                raise ToolError(answer["message"], answer.get("code"))
            return answer.get("value")

        async def call_tool(name, input=None, /, **fields):
            """Calls a tool of the agent."""
            if not isinstance(name, str):
                raise TypeError("The name of a tool must be a str, got " + type(name).__name__)
            given = {**({} if input is None else input), **fields} if fields or input is None else input
            return await asked("call", name, json.dumps(given))

        async def load_file(path):
            """Brings a file that is not there yet."""
            try:
                await asked("load", os.path.abspath(os.fspath(path)))
            except ToolError as error:
                raise OSError(str(error)) from None

        class Tools:
            def __getattr__(self, name):
                if name.startswith("__"):
                    raise AttributeError(name)
                return functools.partial(call_tool, name)

        return {"tools": Tools(), "call_tool": call_tool, "load_file": load_file, "ToolError": ToolError}

    async def evaluated(code, space):
        value = eval(code, space)
        return await value if code.co_flags & inspect.CO_COROUTINE else value

    async def run_source(source, space):
        tree = ast.fix_missing_locations(Awaiting().visit(ast.parse(source, NAME)))
        last = None
        if tree.body and isinstance(tree.body[-1], ast.Expr):
            last = ast.Expression(tree.body.pop().value)
        flags = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
        code = compile(tree, NAME, "exec", flags=flags)
        last = last and compile(last, NAME, "eval", flags=flags)
        await evaluated(code, space)
        value = await evaluated(last, space) if last else None
        if value is not None:
            print(shown(value))

    def flush_files():
        """What is open still holds back what was written last."""
        gc.collect()
        for one in gc.get_objects():
            try:
                if isinstance(one, io.IOBase) and not one.closed and one.writable():
                    one.flush()
            except Exception:
                pass

    def leave(status=0):
        raise SystemExit(status)

    def hide_engine():
        """What the engine offers to programs of people who trust it."""
        from _pyodide._importhook import jsfinder
        jsfinder.jsproxies.clear()
        for name in [name for name in sys.modules if name.split(".")[0] in ("js", "pyodide_js")]:
            del sys.modules[name]

    async def run(source, settings, ask):
        settings = json.loads(settings)
        hide_engine()
        random.seed()
        tempfile._name_sequence = None
        os._exit = leave
        os.environ.update(settings["env"])
        for stream in [sys.stdout, sys.stderr]:
            stream.reconfigure(encoding="utf-8", errors="backslashreplace", line_buffering=True)
        sys.stdin.reconfigure(encoding="utf-8", errors="replace")
        sys.argv = [NAME]
        linecache.cache[NAME] = (len(source), None, source.splitlines(True), NAME)
        main = types.ModuleType("__main__")
        sys.modules["__main__"] = main
        main.__dict__.update({"__builtins__": builtins, "__file__": NAME, **asker(ask)})
        code, limit = 0, False
        try:
            os.chdir(settings["cwd"])
            await run_source(source, main.__dict__)
        except BaseException as error:
            code, limit = complain(error)
        flush_files()
        return json.dumps([code, limit])

    return run

sameloop_run = sameloop_run()
`
