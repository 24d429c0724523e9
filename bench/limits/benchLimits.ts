import { AccessAdmission } from '../../src/gateway/access/accessAdmission.ts'
import { TrustedProxies } from '../../src/gateway/access/clientAddress.ts'
import { type Limits, UNLIMITED } from '../../src/gateway/access/limits.ts'
import { UNLIMITED_MEMORY } from '../../src/gateway/access/memoryAccount.ts'
import { SYSTEM_CLOCKS } from '../../src/gateway/access/quotaDay.ts'
import { type Admission, type AdmissionRequest, OPEN_ADMISSION } from '../../src/gateway/admission.ts'
import { RpcError } from '../../src/rpc/errors.ts'
import { METHODS } from '../../src/rpc/methods.ts'
import { type KeyLimits, NO_OWN_LIMITS } from '../../src/storage/access/keyRecord.ts'
import { indexOf, MemoryBook, requestOf } from '../../test/support/accessScene.ts'
import { keyRecord } from '../../test/support/keyRecords.ts'
import { describeMachine } from '../report/machine.ts'
import { saveSections } from '../report/results.ts'

const ROUNDS = 9
const REQUESTS = 300_000
/** Fewer requests in refused cases, which are slower, and each makes an error. */
const REFUSED_REQUESTS = 50_000
const ANSWER_BYTES = 40
const PLENTY = 1_000_000_000

const METHOD = indexOf('eth_getBalance')

interface Case {
  readonly name: string
  readonly admission: Admission
  readonly request: AdmissionRequest
  /** Whether the request is over a limit. */
  readonly refused: boolean
}

/**
 * `bench -- limits`: time of the front thread per request for identifying, charging and counting the caller,
 * including reads of the clock: from the path or the address to the start of processing, and at the response.
 */
export function benchLimits(): void {
  const machine = describeMachine()
  const rows = cases().map((one) => ({ request: one.name, 'ns per request': Math.round(measure(one)) }))
  const headers = Math.round(measureHeaders())
  saveSections(
    'limits',
    machine,
    [
      {
        title: 'Admission',
        note: `${METHODS[METHOD]?.name} from one caller, one request under way; medians of ${ROUNDS} rounds.`,
        rows,
      },
      {
        title: 'Headers of a 429',
        note: 'The text of `RateLimit-Policy` and `RateLimit` for a key with a rate and a quota.',
        rows: [{ part: 'text of both', 'ns per answer': headers }],
      },
    ],
    { rounds: ROUNDS, requests: REQUESTS, refusedRequests: REFUSED_REQUESTS },
  )
}

function cases(): readonly Case[] {
  const path = '/ada-secret'
  const keyed = (limits: Partial<KeyLimits>) => open({ ...NO_OWN_LIMITS, ...limits })
  const all = { rate: PLENTY, burst: PLENTY, dailyQuota: PLENTY * 1000, concurrency: 1000 }
  const spent = keyed({ dailyQuota: 1 })
  return [
    { name: 'no keys, no limits', admission: open(null), request: requestOf('/'), refused: false },
    {
      name: 'nobody is counted (tests, tools)',
      admission: OPEN_ADMISSION,
      request: requestOf('/'),
      refused: false,
    },
    {
      name: 'an address with a rate, a quota, requests at once',
      admission: open(null, { ...UNLIMITED, ...all }),
      request: requestOf('/'),
      refused: false,
    },
    { name: 'a key without limits', admission: keyed({}), request: requestOf(path), refused: false },
    {
      name: 'a key with a rate, a quota, requests at once',
      admission: keyed(all),
      request: requestOf(path),
      refused: false,
    },
    { name: 'a key over its quota, refused', admission: spent, request: requestOf(path), refused: true },
    {
      name: 'a key over its rate, refused',
      admission: keyed({ rate: 1, burst: 1 }),
      request: requestOf(path),
      refused: true,
    },
  ]
}

/** @param own limits of the only key; null where there is none */
function open(own: KeyLimits | null, clientLimits: Limits = UNLIMITED): AccessAdmission {
  const book = new MemoryBook()
  book.set(own === null ? [] : [keyRecord('ada', { limits: own })])
  return new AccessAdmission({
    book,
    methods: METHODS,
    clocks: SYSTEM_CLOCKS,
    timezone: 'UTC',
    retention: 400,
    rules: {
      requireKey: 'auto',
      keyLimits: UNLIMITED,
      clientLimits,
      memory: UNLIMITED_MEMORY,
      proxies: new TrustedProxies([]),
    },
  })
}

/**
 * Nanoseconds per request, the median of the rounds. @throws Error when it is not treated as the case expects
 */
function measure({ name, admission, request, refused }: Case): number {
  const requests = refused ? REFUSED_REQUESTS : REQUESTS
  // The initial burst is used up.
  ask(admission, request, 10)
  return medianOf(() => {
    const began = performance.now()
    const over = ask(admission, request, requests)
    const elapsed = performance.now() - began
    if (refused ? over < 0.9 * requests : over > 0) throw new Error(`${name}: ${over} refused`)
    return (elapsed * 1e6) / requests
  })
}

/**
 * The steps of admission for a number of requests; refused ones were admission has part in it; those that
 * were refused.
 */
function ask(admission: Admission, request: AdmissionRequest, requests: number): number {
  let over = 0
  for (let made = 0; made < requests; made += 1) {
    const caller = admission.admit(request)
    if (caller instanceof RpcError) throw caller
    caller.begin()
    if (admission.charge(caller, METHOD) === null) caller.answered(METHOD, ANSWER_BYTES, false)
    else over += 1
    caller.end()
  }
  return over
}

function measureHeaders(): number {
  const admission = open({ ...NO_OWN_LIMITS, rate: 1000, burst: 5000, dailyQuota: PLENTY })
  const caller = admission.admit(requestOf('/ada-secret'))
  if (caller instanceof RpcError) throw caller
  const { account } = caller
  return medianOf(() => {
    let length = 0
    const began = performance.now()
    for (let made = 0; made < REQUESTS; made += 1) {
      const headers = account.rateLimitHeaders()
      length += (headers?.policy.length ?? 0) + (headers?.state.length ?? 0)
    }
    const elapsed = performance.now() - began
    if (length === 0) throw new Error('no headers')
    return (elapsed * 1e6) / REQUESTS
  })
}

function medianOf(round: () => number): number {
  round()
  const times = Array.from({ length: ROUNDS }, round).sort((a, b) => a - b)
  return times[ROUNDS >> 1] ?? Number.NaN
}
