import { setTimeout as sleep } from 'node:timers/promises'
import { toHex } from '../../src/util/bytes.ts'
import { signedTransaction } from '../support/signedTransaction.ts'
import type { EnteredFunction, ThreadProfiles } from './threadProfiles.ts'

/** Milliseconds after an answer in which the threads end what they do for it. */
const REST = 150

const ACCOUNT = '0xcd2a3d9f938e13cd947ec05abc7fe734df8dd826'
const CALLED = '0x0000000000000000000000000000000000000004'

/** Method and parameters. */
type Request = readonly [method: string, params: readonly unknown[]]

/** A way through the node: the request of each round. */
export interface Walk {
  readonly name: string
  readonly request: (round: number) => Request
}

/** Functions that were entered, by thread. */
export type Entered = ReadonlyMap<string, readonly EnteredFunction[]>

/** Requests of each kind, and those before them: the first ones enter what is only made once. */
export interface Rounds {
  readonly warmUp: number
  readonly counted: number
}

export const BALANCE: Walk = {
  name: 'balance, answered by the core',
  request: () => ['eth_getBalance', [ACCOUNT, 'latest']],
}

export const CALL: Walk = {
  name: 'call, answered by a worker',
  // With a gas limit it is not the front's; no two have the same answer.
  request: (round) => ['eth_call', [{ to: CALLED, gas: '0x100000', data: word(round) }, 'latest']],
}

export const WALKS: readonly Walk[] = [
  BALANCE,
  CALL,
  {
    name: 'send with its block',
    request: (round) => [
      'eth_sendRawTransaction',
      [toHex(signedTransaction({ nonce: BigInt(round), value: 1n }).encoded)],
    ],
  },
  {
    name: 'block by number, written by a worker',
    request: (round) => ['eth_getBlockByNumber', [`0x${(round + 1).toString(16)}`, true]],
  },
]

/**
 * The functions of `src/` that every counted round enters.
 * @param walk null for rounds in which nothing is asked
 */
export async function enteredOf(
  walk: Walk | null,
  url: string,
  profiles: ThreadProfiles,
  { warmUp, counted }: Rounds,
): Promise<Entered> {
  const rounds: Entered[] = []
  for (let round = 0; round < warmUp + counted; round += 1) {
    await sleep(REST)
    await profiles.take()
    if (walk !== null) await ask(url, ...walk.request(round))
    await sleep(REST)
    if (round >= warmUp) rounds.push(await profiles.take())
  }
  return inEvery(rounds)
}

/** The functions of `src/` that all rounds entered: timers run when they are due, in some of them. */
export function inEvery(rounds: readonly Entered[]): Entered {
  const [first = new Map<string, readonly EnteredFunction[]>(), ...others] = rounds
  const common = [...first].map(([thread, entered]) => {
    const sets = others.map((round) => new Set(round.get(thread)?.map(keyOf)))
    const kept = [...new Map(entered.map((one) => [keyOf(one), one])).values()]
    return [
      thread,
      kept.filter((one) => one.file.startsWith('src/') && sets.every((set) => set.has(keyOf(one)))),
    ] as const
  })
  return new Map(common)
}

/** The functions of a walk without those that are entered while nothing is asked; threads without any are left out. */
export function withoutIdle(entered: Entered, idle: Entered): Entered {
  const own = [...entered].map(([thread, all]) => {
    const ofTimers = new Set(idle.get(thread)?.map(keyOf))
    return [thread, all.filter((one) => !ofTimers.has(keyOf(one)))] as const
  })
  return new Map(own.filter(([, functions]) => functions.length > 0))
}

async function ask(url: string, method: string, params: readonly unknown[]): Promise<void> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  })
  const text = await response.text()
  if (!text.includes('"result":') || text.includes('"result":null')) throw new Error(`${method}: ${text}`)
}

function keyOf({ file, name, start }: EnteredFunction): string {
  return `${file} ${name} ${start}`
}

function word(value: number): string {
  return `0x${value.toString(16).padStart(64, '0')}`
}
