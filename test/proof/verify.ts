import { ProofError } from './errors.ts'
import { type Child, keccak, type Node, parseNode, toBits, type Value } from './node.ts'

/** What a proof shows of a key: its node, with a value or without, or that no node is there. */
export interface Proven {
  /** The node at exactly the key; null when there is none. */
  readonly node: Node | null
  /** Its value; null when there is none, which is absence. */
  readonly value: Value | null
}

/**
 * Follows a key from a state root through the given nodes (consensus.md §6.8). Nodes come from the root down;
 * those that a parent embeds are not listed. What is listed must be used, all of it and in order.
 * @throws ProofError for a proof that shows neither presence nor absence
 */
export function verifyProof(root: Uint8Array, key: Uint8Array, proof: readonly Uint8Array[]): Proven {
  const bits = toBits(key)
  let used = 0
  const next = (hash: Uint8Array): Node => {
    const bytes = proof[used]
    if (bytes === undefined) throw new ProofError('MissingNode', `no node ${used} with hash ${hex(hash)}`)
    if (!equal(keccak(bytes), hash))
      throw new ProofError('WrongNode', `node ${used} has not the hash ${hex(hash)}`)
    used += 1
    return parseNode(bytes)
  }
  const open = (child: Child): Node => (child.kind === 'hash' ? next(child.hash) : parseNode(child.bytes))

  let node: Node | null = next(root)
  let depth = 0
  while (node !== null) {
    const { path }: Node = node
    if (!path.every((bit, i) => bits[depth + i] === bit)) {
      node = null
      break
    }
    depth += path.length
    const bit = bits[depth]
    if (bit === undefined) break
    depth += 1
    const child: Child | null = bit === 0 ? node.left : node.right
    node = child === null ? null : open(child)
  }
  if (used < proof.length)
    throw new ProofError('SurplusNode', `${proof.length - used} nodes after the last one used`)
  return { node, value: node?.value ?? null }
}

/**
 * Holds bytes against a proven value.
 * @throws ProofError `WrongValue` when they are not the value
 */
export function assertValue(value: Value | null, bytes: Uint8Array | null): void {
  if (value === null || bytes === null) {
    if (value === null && bytes === null) return
    throw new ProofError('WrongValue', bytes === null ? 'the value is there' : 'the value is absent')
  }
  const holds =
    value.kind === 'short'
      ? equal(value.bytes, bytes)
      : value.length === bytes.length && equal(value.hash, keccak(bytes))
  if (!holds) throw new ProofError('WrongValue', `${hex(bytes)} is not the value`)
}

/** Whether two byte strings are equal. */
export function equal(a: Uint8Array, b: Uint8Array): boolean {
  return Buffer.from(a).equals(b)
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex')
}
