import type { Log } from '../../../src/chain/codec/receipt.ts'

/** The address of the Bridge. */
export const BRIDGE: Buffer = Buffer.from('0000000000000000000000000000000001000006', 'hex')

const WORD = 32
const SIGN_BIT = 1n << 255n

const EVENTS: Readonly<Record<string, string>> = {
  ec2232bd: 'lock_btc',
  '44cdc782': 'pegin_btc',
  '708ce1ea': 'rejected_pegin',
  '35be155c': 'unrefundable_pegin',
  '1069152f': 'update_collections',
  '83b6efe3': 'add_signature',
  '655929b5': 'release_btc',
  '5b9466a0': 'commit_federation',
  ab26567e: 'commit_federation_failed',
  '7a7c2948': 'release_requested',
  '8e04e2f2': 'release_request_received',
  '1a4457a4': 'release_request_received',
  b607c3e1: 'release_request_rejected',
  '483d0191': 'batch_pegout_created',
  c287f602: 'pegout_confirmed',
  '9ee5d520': 'pegout_transaction_created',
  a49ac283: 'union_bridge_locking_cap_increased',
  '7437e377': 'union_rbtc_requested',
  '1548a13b': 'union_rbtc_released',
  fd79aa37: 'union_bridge_transfer_permissions_updated',
}

/** Name of an event of the Bridge in either form (bridge.md §5). */
export function nameOfEvent(topic: Buffer | undefined): string {
  const hex = topic?.toString('hex') ?? ''
  const named = EVENTS[hex.slice(0, 8)]
  if (named !== undefined) return named
  return (topic ?? Buffer.alloc(0))
    .toString('latin1')
    .replaceAll('\0', '')
    .replace(/_topic$/, '')
}

/** Names of the events of the Bridge among logs, each once. */
export function namesOf(logs: readonly Log[]): ReadonlySet<string> {
  const own = logs.filter(({ address }) => address.equals(BRIDGE))
  return new Set(own.map(({ topics }) => nameOfEvent(topics[0])))
}

/** What a forwarding contract noted of the call that it made. */
export interface Answer {
  readonly success: boolean
  /** The output as a signed number, where it is one word; else null. */
  readonly number: bigint | null
}

/** The note of a forwarding contract: one word of success, then the output. Null where there is none. */
export function answerIn(logs: readonly Log[]): Answer | null {
  const note = logs.find(({ address, topics }) => topics.length === 0 && !address.equals(BRIDGE))
  if (note === undefined) return null
  const success = note.data[WORD - 1] === 1
  if (note.data.length !== 2 * WORD) return { success, number: null }
  const word = BigInt(`0x${note.data.subarray(WORD).toString('hex')}`)
  return { success, number: word >= SIGN_BIT ? word - 2n * SIGN_BIT : word }
}
