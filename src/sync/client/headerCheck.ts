import type { Ancestor } from '../../chain/ancestry.ts'
import { Ancestry } from '../../chain/ancestry.ts'
import type { ChainStoreReader } from '../../chain/chainStoreReader.ts'
import type { BlockHeader } from '../../chain/codec/header.ts'
import { FORK_DETECTION_ANCESTORS } from '../../chain/forkDetection.ts'
import type { OptionalRule } from '../../chain/validation/blockRules.ts'
import { type BrokenRule, checkHeaderAlone, checkHeaderOnParent } from '../../chain/validation/checkHeader.ts'
import { checkForkDetectionData } from '../../chain/validation/headerRules.ts'
import { checkProofsOfWork } from '../../chain/validation/proofOfWork.ts'
import type { HeaderContext } from '../../chain/validation/validationContext.ts'
import type { NetworkSpec } from '../../config/networkSpec.ts'
import { createNativeChainSpec } from '../../native/chainSpec.ts'
import { sha256d } from '../../native/crypto.ts'
import type { Peer } from '../../p2p/peer.ts'
import { type Stall, stallOf } from '../halt/stall.ts'

/** A header that breaks a rule. */
export interface HeaderFault {
  readonly header: BlockHeader
  readonly rule: BrokenRule['rule'] | 'parentHash'
  readonly expected: string
  readonly found: string
  /** Only its timestamp is invalid, and our clock may be wrong. */
  readonly early: boolean
}

/** A header that peers send and this node refuses. */
export function stallOfFault(fault: HeaderFault, peers: readonly Peer[]): Stall {
  const { header, rule, expected, found, early } = fault
  return stallOf(early ? 'earlyHeader' : 'refusedHeader', {
    number: header.number,
    hash: header.hash,
    rule,
    expected,
    found,
    reason: early ? `its time is ${header.timestamp}` : `it breaks ${rule}`,
    peers,
  })
}

/** Validates headers before their bodies are fetched. */
export interface HeaderCheck {
  /**
   * The rules that a header alone can break: proof of work, timestamps, lengths. @returns the first violation
   * in their order
   */
  alone(headers: readonly BlockHeader[], signal: AbortSignal): Promise<HeaderFault | null>
  /** The rules against the parent and the ancestors, which were validated before. */
  onParent(header: BlockHeader, parent: BlockHeader): HeaderFault | null
}

/** Parts of {@link HeaderRules}. */
export interface HeaderRulesOptions {
  readonly spec: NetworkSpec
  readonly reader: Pick<ChainStoreReader, 'headerByHash'>
  /** Rules that recorded chains break; none on a network. */
  readonly disabledRules?: ReadonlySet<OptionalRule>
  /** Seconds since 1970. */
  readonly now?: () => number
}

/** Headers whose proofs are verified together on another thread; the event loop runs meanwhile. */
const SLICE = 48

const BITCOIN_HEADER_LENGTH = 80

/**
 * The rules of consensus.md §4.2 and §4.3 that need no body. Where the ancestors that fork detection reads
 * are missing (on a node that started from a snapshot), the chain checks that rule.
 */
export class HeaderRules implements HeaderCheck {
  readonly #context: HeaderContext
  /** Connected blocks, and the validated headers above them. */
  readonly #ancestry: Ancestry

  constructor({ spec, reader, disabledRules = new Set(), now }: HeaderRulesOptions) {
    this.#ancestry = new Ancestry((hashHex) => {
      const header = reader.headerByHash(Buffer.from(hashHex, 'hex'))
      return header === null ? undefined : ancestorOfHeader(header)
    })
    this.#context = {
      spec,
      nativeSpec: createNativeChainSpec(spec),
      disabledRules,
      ancestry: this.#ancestry,
      headerByHash: (hash) => reader.headerByHash(hash) ?? undefined,
      now: now ?? (() => Math.floor(Date.now() / 1000)),
    }
  }

  async alone(headers: readonly BlockHeader[], signal: AbortSignal): Promise<HeaderFault | null> {
    for (let start = 0; start < headers.length && !signal.aborted; start += SLICE) {
      const slice = headers.slice(start, start + SLICE)
      const works = await checkProofsOfWork(this.#context, slice)
      for (const [index, header] of slice.entries()) {
        const work = works[index] ?? null
        const broken =
          work === null ? checkHeaderAlone(this.#context, header) : { rule: 'proofOfWork' as const, ...work }
        if (broken !== null) return this.#faultOf(header, broken)
      }
    }
    return null
  }

  onParent(header: BlockHeader, parent: BlockHeader): HeaderFault | null {
    if (!header.parentHash.equals(parent.hash)) {
      const found = header.parentHash.toString('hex')
      return { header, rule: 'parentHash', expected: parent.hashHex, found, early: false }
    }
    const fault =
      this.#faultOf(header, checkHeaderOnParent(this.#context, header, parent)) ?? this.#forkDetection(header)
    if (fault === null) this.#ancestry.add(ancestorOfHeader(header))
    return fault
  }

  #faultOf(header: BlockHeader, broken: BrokenRule | null): HeaderFault | null {
    if (broken === null) return null
    return { header, ...broken, early: broken.rule === 'timestamp' && this.#isEarly(header) }
  }

  #isEarly(header: BlockHeader): boolean {
    const limit = this.#context.spec.timestamps.futureLimitSeconds
    return limit !== null && header.timestamp > this.#context.now() + limit
  }

  #forkDetection(header: BlockHeader): HeaderFault | null {
    const known = this.#ancestry.walk(header.parentHash.toString('hex'), FORK_DETECTION_ANCESTORS)
    if (known.length < FORK_DETECTION_ANCESTORS) return null
    const violation = checkForkDetectionData(this.#context, header)
    return violation && this.#faultOf(header, { rule: 'forkDetectionData', ...violation })
  }
}

/** The part of a header that fork detection reads; its uncles are in the body and are not needed here. */
function ancestorOfHeader(header: BlockHeader): Ancestor {
  const { fields } = header
  const bitcoinHeader = fields.bitcoinMergedMiningHeader
  return {
    hashHex: header.hashHex,
    parentHashHex: fields.parentHash.toString('hex'),
    number: header.number,
    uncleCount: fields.uncleCount,
    uncleHashes: [],
    bitcoinHashByte:
      bitcoinHeader.length < BITCOIN_HEADER_LENGTH
        ? null
        : (sha256d(bitcoinHeader.subarray(0, BITCOIN_HEADER_LENGTH))[0] ?? null),
  }
}
