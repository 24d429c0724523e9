/** A system call of a trace that returned. */
export interface SystemCall {
  readonly name: string
  /** Everything between the parentheses, as strace writes it. */
  readonly args: string
  /** What the first argument's descriptor stands for: a path, `TCP:[…]`, `pipe:[…]`. */
  readonly target: string
  /** Descriptor number of the first argument; null where it is none. */
  readonly descriptor: number | null
  /** Returned value. */
  readonly result: number
  /** Places in the trace where the call began and where it was over. */
  readonly start: number
  readonly end: number
}

/** Calls that {@link TRACE_ARGUMENTS} asks for. */
const TRACED = [
  'openat',
  'close',
  'write',
  'writev',
  'pwrite64',
  'pwritev',
  'pwritev2',
  'sendto',
  'sendmsg',
  'fdatasync',
  'fsync',
  'sync_file_range',
  'msync',
]

/** Longest text that strace keeps of a buffer: an HTTP answer of one request fits. */
const TEXT_BYTES = 2048

/** Arguments of strace that write a trace which {@link parseTrace} reads. */
export function traceArguments(file: string): string[] {
  const options = ['-f', '-y', '--seccomp-bpf', '-s', String(TEXT_BYTES), '-e', `trace=${TRACED.join(',')}`]
  return ['strace', ...options, '-e', 'signal=none', '-o', file]
}

const WHOLE = /^(\d+)\s+(\w+)\((.*)\)\s+= (-?\d+)/
const BEGUN = /^(\d+)\s+(\w+)\((.*) <unfinished \.\.\.>$/
const RESUMED = /^(\d+)\s+<\.\.\. (\w+) resumed>(.*)\)\s+= (-?\d+)/
const DESCRIPTOR = /^(\d+)<([^>]*)>/

/** The finished calls of a trace of all threads, in the order in which they began. */
export function parseTrace(text: string): SystemCall[] {
  const calls: SystemCall[] = []
  const begun = new Map<string, { name: string; args: string; start: number }>()
  text.split('\n').forEach((line, place) => {
    const whole = WHOLE.exec(line)
    if (whole !== null) {
      const [, , name = '', args = '', result = ''] = whole
      calls.push(systemCall(name, args, result, place, place))
      return
    }
    const start = BEGUN.exec(line)
    if (start !== null) {
      const [, thread = '', name = '', args = ''] = start
      begun.set(thread, { name, args, start: place })
      return
    }
    const [, thread = '', name = '', args = '', result = ''] = RESUMED.exec(line) ?? []
    const before = begun.get(thread)
    if (before === undefined || before.name !== name) return
    begun.delete(thread)
    calls.push(systemCall(name, before.args + args, result, before.start, place))
  })
  return calls.sort((a, b) => a.start - b.start)
}

function systemCall(name: string, args: string, result: string, start: number, end: number): SystemCall {
  const [, descriptor, target = ''] = DESCRIPTOR.exec(args) ?? []
  return {
    name,
    args,
    target,
    descriptor: descriptor === undefined ? null : Number(descriptor),
    result: Number(result),
    start,
    end,
  }
}
