import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { runCommand } from '../support/cli.ts'
import { type NodeProcess, startNode } from '../support/nodeProcess.ts'
import { readVectorJson, vectorPath } from '../support/vectors.ts'
import type { AccountProofAnswer } from './accountProof.ts'
import { accountKey, cellKey } from './keys.ts'

/** The committed answers of eth_getProof over the recorded chain. */
export interface ProofVectors {
  readonly block: string
  /** Of that block, as the reference recorded it. */
  readonly stateRoot: string
  readonly answers: readonly AccountProofAnswer[]
}

/** What the reference recorded of the state at the head of its chain. */
export interface RecordedState {
  readonly number: number
  readonly stateRoot: string
  /** Key, its length in bits, value. */
  readonly trie: readonly (readonly [string, number, string])[]
}

/** An account with the cells to prove. */
export interface ProofCase {
  readonly address: string
  readonly slots: readonly string[]
}

const FILE = fileURLToPath(new URL('vectors/chain-main.json', import.meta.url))
const ADDRESS_BYTES = 20
const ACCOUNT_KEY_BYTES = 31
const CODE = 0x80

/** Path of {@link readProofVectors}. */
export const PROOF_VECTORS_FILE: string = FILE

/** The committed vectors. */
export function readProofVectors(): ProofVectors {
  return JSON.parse(readFileSync(FILE, 'utf8')) as ProofVectors
}

/** The recorded state at the head of the served chain. */
export function readRecordedState(): RecordedState {
  return readVectorJson<RecordedState>('rpc/state-main.json')
}

/**
 * Every account of the recorded state with those of its cells whose slot the key tells, and besides: neighbours of
 * each that do not exist, and a cell of each that does not.
 */
export function proofCases(state: RecordedState): ProofCase[] {
  const keys = state.trie.map(([key]) => Buffer.from(key.slice(2), 'hex'))
  const accounts = keys.filter(({ length }) => length === ACCOUNT_KEY_BYTES)
  return accounts.flatMap((account) => {
    const address = account.subarray(ACCOUNT_KEY_BYTES - ADDRESS_BYTES)
    const slots = keys
      .filter(
        (key) => key.length > ACCOUNT_KEY_BYTES + 1 && key.subarray(0, ACCOUNT_KEY_BYTES).equals(account),
      )
      .map((key) => key.subarray(ACCOUNT_KEY_BYTES + 1 + 10))
    const absent = Buffer.alloc(32, address)
    const neighbour = Buffer.from(address)
    neighbour[ADDRESS_BYTES - 1] = (neighbour[ADDRESS_BYTES - 1] ?? 0) ^ 1
    return [
      { address: hex(address), slots: [...slots, absent].map(hex) },
      { address: hex(neighbour), slots: slots.slice(0, 1).map(hex) },
    ]
  })
}

/** Values of the recorded state by trie key, in hex without prefix. */
export function recordedValues(state: RecordedState): Map<string, string> {
  return new Map(state.trie.map(([key, , value]) => [key.slice(2), value]))
}

/** Keys of an account, its code, and one of its cells as {@link recordedValues} has them. */
export function recordedKeys(
  address: string,
  slot = '0x00',
): { account: string; code: string; cell: string } {
  const bytes = Buffer.from(address.slice(2), 'hex')
  const padded = Buffer.from(slot.slice(2).padStart(64, '0'), 'hex')
  const account = Buffer.from(accountKey(bytes))
  return {
    account: account.toString('hex'),
    code: Buffer.concat([account, Uint8Array.of(CODE)]).toString('hex'),
    cell: Buffer.from(cellKey(bytes, padded)).toString('hex'),
  }
}

/** A node that serves the recorded chain from a data directory. */
export async function serveRecordedChain(dataDir: string): Promise<NodeProcess> {
  const result = await runCommand(['import', '--data-dir', dataDir, vectorPath('rpc/chain-main.jsonl')])
  if (result.code !== 0) throw new Error(`import: ${result.stderr}`)
  return startNode({ dataDir, args: ['--no-mining'] })
}

/** Asks a node for the answers to all cases at one block. */
export async function fetchProofs(
  node: NodeProcess,
  cases: readonly ProofCase[],
  block: string,
): Promise<AccountProofAnswer[]> {
  const answers: AccountProofAnswer[] = []
  for (const { address, slots } of cases) {
    answers.push(await node.request<AccountProofAnswer>('eth_getProof', [address, slots, block]))
  }
  return answers
}

function hex(bytes: Uint8Array): string {
  return `0x${Buffer.from(bytes).toString('hex')}`
}
