/** HTTP statuses that an answer to a POST may have (decisions.md D23). */
const STATUSES: ReadonlySet<number> = new Set([200, 400, 413, 415, 429])
const INTERNAL = -32603
/** Of a transaction that the pool refused. */
const REFUSED = -32010
/** Methods whose refusals have that code on the reference node, too; what is not foreseen is in the log. */
const REFUSE_AS_INTERNAL = /eth_getWork|eth_submit|mnr_|txpool_|_pendingTransactions/
const LEAK = /\bat \S+ \(|\.(ts|js|rs):\d+|node_modules|panicked|TypeError|RangeError|ReferenceError/
/** Deeper batches are refused as a whole. */
const MAX_DEPTH = 1000
const MEMBERS: ReadonlySet<string> = new Set(['jsonrpc', 'id', 'result', 'error'])
const ERROR_MEMBERS: ReadonlySet<string> = new Set(['code', 'message', 'data'])

/**
 * What is wrong with an answer; null when nothing is. Internal errors count as wrong: no input may cause one.
 */
export function faultOfAnswer(request: Buffer, status: number, text: string): string | null {
  if (!STATUSES.has(status)) return `HTTP status ${status}`
  const asked = parse(request.toString('utf8'))
  if (text === '') {
    if (status !== 200) return status === 400 ? 'status 400 without a body' : null
    return isSilent(asked) ? null : 'empty answer'
  }
  const answer = parse(text)
  if (answer === undefined) return 'answer is no JSON'
  const asText = request.toString('latin1')
  const fault = faultOfValue(answer.value, REFUSE_AS_INTERNAL.test(asText))
  if (fault !== null) return fault
  const id = scalarId(asked?.value)
  if (id === undefined || !isObject(answer.value) || status !== 200) return null
  return answer.value['id'] === id || isUnread(answer.value) ? null : 'answer with another id'
}

/** Whether nothing in the body asks for an answer; a body that is no JSON as a whole is given the benefit. */
export function isSilent(asked: { readonly value: unknown } | undefined): boolean {
  if (asked === undefined) return true
  const silent = (value: unknown, depth: number): boolean => {
    if (Array.isArray(value)) {
      return depth < MAX_DEPTH && value.length > 0 && value.every((element) => silent(element, depth + 1))
    }
    return isObject(value) && (value['id'] ?? null) === null && typeof value['method'] === 'string'
  }
  return silent(asked.value, 0)
}

/** The value of a JSON text; undefined when it is none. */
export function parse(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) }
  } catch {
    return undefined
  }
}

function faultOfValue(answer: unknown, mayBeInternal: boolean): string | null {
  if (Array.isArray(answer)) {
    for (const element of answer) {
      const fault = faultOfValue(element, mayBeInternal)
      if (fault !== null) return fault
    }
    return null
  }
  if (!isObject(answer)) return 'answer is no object'
  const { jsonrpc, id, error } = answer
  if (jsonrpc !== '2.0') return 'jsonrpc is not 2.0'
  if (id === undefined || (typeof id === 'object' && id !== null)) return 'id is no scalar'
  const other = Object.keys(answer).find((key) => !MEMBERS.has(key))
  if (other !== undefined) return `member ${other}`
  if ('result' in answer === 'error' in answer) return 'not one of result and error'
  return 'error' in answer ? faultOfError(error, mayBeInternal) : null
}

function faultOfError(error: unknown, mayBeInternal: boolean): string | null {
  if (!isObject(error)) return 'error is no object'
  const { code, message, data } = error
  if (!Number.isInteger(code)) return 'code is no integer'
  if (code === INTERNAL && !mayBeInternal) return `internal error: ${String(message)}`
  if (typeof message !== 'string' || message === '') return 'no message'
  const leak = LEAK.exec(message)
  if (leak !== null) return `message shows the inside: ${leak[0]}`
  if (data !== undefined && !(code === REFUSED ? isStats(data) : isHex(data))) return 'data of another kind'
  const other = Object.keys(error).find((key) => !ERROR_MEMBERS.has(key))
  return other === undefined ? null : `error member ${other}`
}

function isHex(data: unknown): boolean {
  return typeof data === 'string' && /^0x([0-9a-f]{2})*$/.test(data)
}

/** What the pool compared, by name (decisions.md D53). */
function isStats(data: unknown): boolean {
  return isObject(data) && Object.values(data).every((figure) => typeof figure === 'string')
}

/** The id of a single request that must be echoed; undefined when there is none. */
function scalarId(asked: unknown): unknown {
  if (!isObject(asked) || typeof asked['method'] !== 'string') return undefined
  const id = asked['id']
  return typeof id === 'object' ? undefined : id
}

/** The gateway does not look for ids in what it did not read. */
function isUnread(answer: Readonly<Record<string, unknown>>): boolean {
  const { error } = answer
  return answer['id'] === null && isObject(error) && (error['code'] === -32600 || error['code'] === -32700)
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
