import type { Attack } from './attack.ts'
import { emptyElements, unknownMethods, wrongParams } from './bodies.ts'
import { manyFilters, manySubscriptions } from './filters.ts'
import { fragments, partialFrames } from './fragments.ts'
import { refusedFlood } from './refusedFlood.ts'
import { unreadCalls, unreadHttp, unreadWebSockets } from './unread.ts'

/** Who attacks. */
export type Attacker = 'stranger' | 'customer' | 'nobody'

/** Attacks that run at once, by whom. */
export interface Scene {
  readonly name: string
  readonly attacks: readonly Attack[]
  /**
   * `stranger`: from several addresses without a key; `customer`: with a key that has no limits of its own; `nobody`:
   * with what the attack says itself, from one address.
   */
  readonly by: Attacker
  /** Whether the socket library alone is put under the same attack. */
  readonly comparesBare: boolean
}

/** Longest message that a client of the reference may send, bytes. */
const LONG = 4_900_000

/** Sockets of 15 addresses, each within its limit. */
const MANY = 706

/** What strangers and customers do alike. */
const GENERAL: readonly Attack[] = [
  fragments(MANY, LONG),
  partialFrames(MANY, LONG),
  emptyElements(250, 1000),
  wrongParams(250),
  unknownMethods(250, 100),
  unreadCalls(100, 50),
]

function scene(attack: Attack, by: Attacker, comparesBare = false): Scene {
  return { name: attack.name, attacks: [attack], by, comparesBare }
}

const BOTH = ['stranger', 'customer'] as const

/** Every scene. */
export const SCENES: readonly Scene[] = [
  ...GENERAL.flatMap((attack) => BOTH.map((by) => scene(attack, by))),
  ...BOTH.map((by): Scene => ({ name: 'together', attacks: GENERAL, by, comparesBare: false })),
  scene(refusedFlood(1), 'nobody', true),
  scene(refusedFlood(2000), 'nobody', true),
  scene(manyFilters(280), 'stranger'),
  scene(manyFilters(2000, 1400), 'stranger'),
  scene(manySubscriptions(95), 'stranger'),
  scene(unreadWebSockets(100), 'customer'),
  scene(unreadHttp(500), 'customer'),
]

/** The attack of a name. @throws RangeError for a name that none has */
export function attackOf(name: string): Attack {
  const found = SCENES.flatMap(({ attacks }) => attacks).find((attack) => attack.name === name)
  if (found === undefined) throw new RangeError(`no attack ${name}`)
  return found
}
