import { listen } from '../../src/front/server.ts'
import type { Subject } from './counting.ts'
import {
  type Access,
  fewHeaders,
  type LightScene,
  pageHeaders,
  pathOf,
  SOCKET_HEADERS,
} from './lightScene.ts'
import { ScriptedLibrary } from './scriptedLibrary.ts'

/** A kind of request that is counted. */
interface Row {
  readonly name: string
  readonly access: Access
  readonly transport: 'HTTP' | 'WebSocket'
  /** Requests in a turn of the event loop. */
  readonly perTurn: number
  /** Bodies that are sent one after the other, all over again. */
  readonly bodies: readonly ArrayBuffer[]
  /** Headers of a page, in place of those of a program. */
  readonly isOfPage: boolean
}

/** As many as a client may send in a turn before its end is waited for, so that each turn does the same. */
const PER_TURN = 16
const BATCH = 50
/** Different accounts; a divisor of every number of requests that is counted. */
const DISTINCT = 64

const ACCOUNT = '0xcd2a3d9f938e13cd947ec05abc7fe734df8dd826'
/** A contract of the genesis block. */
const CONTRACT = '0x0000000000000000000000000000000001000006'

/** Methods that are answered at once. */
const LIGHT: ReadonlyMap<string, readonly unknown[]> = new Map<string, readonly unknown[]>([
  ['eth_chainId', []],
  ['eth_blockNumber', []],
  ['eth_getBalance', [ACCOUNT, 'latest']],
  ['eth_getTransactionCount', [ACCOUNT, 'latest']],
  ['eth_getStorageAt', [CONTRACT, '0x0', 'latest']],
  ['eth_gasPrice', []],
  ['net_version', []],
])

/** Those that are worked out once and kept. */
const AGAIN: ReadonlyMap<string, readonly unknown[]> = new Map<string, readonly unknown[]>([
  ['eth_call', [{ to: ACCOUNT, data: '0x70a08231' }, 'latest']],
  ['eth_getBlockByNumber', ['latest', true]],
])

const request = (method: string, params: readonly unknown[]) => ({ jsonrpc: '2.0', id: 1, method, params })
const accountOf = (place: number) => `0x${place.toString(16).padStart(40, '0')}`

/** Everything that is counted. */
const ROWS: readonly Row[] = [
  ...methodRows('dev', 'HTTP'),
  row('dev', 'HTTP', 'distinct eth_getBalance', distinctBalances()),
  row('dev', 'HTTP', 'eth_chainId of a page', [request('eth_chainId', [])], { isOfPage: true }),
  row('dev', 'HTTP', `${BATCH} eth_getBalance in a batch`, [batch()], { perTurn: 1 }),
  ...methodRows('dev', 'WebSocket'),
  row('dev', 'WebSocket', `${BATCH} eth_getBalance in a batch`, [batch()], { perTurn: 1 }),
  ...(['hosted', 'hosted, key'] as const).flatMap((access) =>
    (['HTTP', 'WebSocket'] as const).map((transport) =>
      row(access, transport, 'eth_getBalance', [request('eth_getBalance', [ACCOUNT, 'latest'])]),
    ),
  ),
]

/** Everything that is counted, at a scene's fronts with a script in place of the socket library. */
export async function openSubjects(scene: LightScene): Promise<readonly Subject[]> {
  const libraries = new Map<Access, ScriptedLibrary>()
  for (const { access } of ROWS) {
    if (libraries.has(access)) continue
    const library = new ScriptedLibrary()
    await listen(library.library, scene.front(access).routes)
    library.open(pathOf(access), SOCKET_HEADERS)
    libraries.set(access, library)
  }
  return ROWS.map((row) => {
    const library = libraries.get(row.access) as ScriptedLibrary
    return { name: row.name, perTurn: row.perTurn, library, send: senderOf(row, library) }
  })
}

/** What sends the next request of a row. */
function senderOf({ access, transport, bodies, isOfPage }: Row, library: ScriptedLibrary): () => void {
  let place = 0
  const next = (): ArrayBuffer => {
    const body = bodies[place] as ArrayBuffer
    place = place + 1 === bodies.length ? 0 : place + 1
    return body
  }
  if (transport === 'WebSocket') return () => library.message(next())
  const path = pathOf(access)
  const bytes = bodies[0]?.byteLength ?? 0
  const headers = isOfPage ? pageHeaders(bytes) : fewHeaders(bytes)
  return () => library.request(path, headers, next())
}

function methodRows(access: Access, transport: Row['transport']): Row[] {
  const light = [...LIGHT].map(([method, params]) =>
    row(access, transport, method, [request(method, params)]),
  )
  const again = [...AGAIN].map(([method, params]) =>
    row(access, transport, `${method} again`, [request(method, params)]),
  )
  return [...light, ...again]
}

function row(
  access: Access,
  transport: Row['transport'],
  name: string,
  bodies: readonly unknown[],
  { perTurn = PER_TURN, isOfPage = false } = {},
): Row {
  return {
    name: `${access}, ${transport}: ${name}`,
    access,
    transport,
    perTurn,
    isOfPage,
    bodies: bodies.map((body) => new TextEncoder().encode(JSON.stringify(body)).buffer),
  }
}

function batch(): unknown[] {
  return Array.from({ length: BATCH }, (_, place) => ({
    ...request('eth_getBalance', [accountOf(place), 'latest']),
    id: place,
  }))
}

function distinctBalances(): unknown[] {
  return Array.from({ length: DISTINCT }, (_, place) =>
    request('eth_getBalance', [accountOf(place), 'latest']),
  )
}
