import { DISCONNECT_REASONS } from '../messages/codes.ts'
import type { ConnectRate } from './connectRate.ts'
import { chooseEvicted, type Seat } from './eviction.ts'
import type { PeerLimits } from './limits.ts'
import { networkGroup } from './networkGroup.ts'
import type { PeerJudge } from './ports.ts'
import type { RecentDrops } from './recentDrops.ts'

/** Reason why an address gets no further slot. */
type Crowd = 'addressFull' | 'groupFull'

/** Reason why a socket is closed before the handshake. */
export type ScreenRefusal = 'banned' | 'sentAway' | 'tooOften' | Crowd

/** The decision about a connection after HELLO. */
export type AdmissionDecision =
  | { readonly kind: 'take'; readonly instead: Seat | null }
  /** @member reason of DISCONNECT; null: closed without */
  | { readonly kind: 'refuse'; readonly why: AdmissionRefusal; readonly reason: number | null }

/** Reason why a connection is not admitted. */
export type AdmissionRefusal = 'banned' | 'self' | 'duplicate' | 'full' | Crowd

/** Time within which two nodes that dial each other see both connections, milliseconds. */
const CROSSING_MS = 5000

/** Dependencies of admission. */
export interface PeerAdmissionParts {
  readonly limits: PeerLimits
  readonly judge: PeerJudge
  readonly drops: RecentDrops
  readonly rate: ConnectRate
  /** Of this node, 128 hex digits. */
  readonly ownId: string
  readonly now: () => number
  readonly random: () => number
}

/** Admission of peers: how many, which, and who is evicted for whom (p2p.md §7). */
export class PeerAdmission {
  readonly #parts: PeerAdmissionParts

  constructor(parts: PeerAdmissionParts) {
    this.#parts = parts
  }

  /**
   * Checks an accepted socket.
   * @param trusted whether the address is one of the operator's
   * @returns why it is closed; null when the handshake may begin
   */
  screen(address: string, trusted: boolean, seats: readonly Seat[]): ScreenRefusal | null {
    const { drops, judge, rate } = this.#parts
    if (judge.refusesAddress(address)) return 'banned'
    if (trusted) return null
    if (drops.has(address)) return 'sentAway'
    if (!rate.admit(address)) return 'tooOften'
    return this.#crowd(address, seats)
  }

  /** Decides after HELLO. @param newcomer with its properties known by now */
  decide(newcomer: Seat, seats: readonly Seat[], isRhizome: boolean): AdmissionDecision {
    const { judge, limits, ownId, now, random } = this.#parts
    if (newcomer.id === ownId)
      return { kind: 'refuse', why: 'self', reason: DISCONNECT_REASONS.localIdentity }
    if (judge.refusesNode(newcomer.id) || judge.refusesAddress(newcomer.address))
      return { kind: 'refuse', why: 'banned', reason: null }
    const same = seats.find(({ id }) => id === newcomer.id)
    if (same !== undefined) {
      return isRhizome && this.#isBetter(newcomer, same)
        ? { kind: 'take', instead: same }
        : { kind: 'refuse', why: 'duplicate', reason: DISCONNECT_REASONS.duplicatePeer }
    }
    if (newcomer.trusted) return { kind: 'take', instead: null }
    // Several handshakes may have begun while one was possible.
    const crowd = newcomer.inbound ? this.#crowd(newcomer.address, seats) : null
    if (crowd !== null) return { kind: 'refuse', why: crowd, reason: DISCONNECT_REASONS.tooManyPeers }
    const counted = seats.filter(({ trusted }) => !trusted)
    const alike = counted.filter(({ inbound }) => inbound === newcomer.inbound).length
    const most = newcomer.inbound ? limits.inbound : limits.outbound
    if (counted.length < limits.peers && alike < most) return { kind: 'take', instead: null }
    const instead = newcomer.inbound ? chooseEvicted(seats, newcomer.address, now(), random) : null
    return instead === null
      ? { kind: 'refuse', why: 'full', reason: DISCONNECT_REASONS.tooManyPeers }
      : { kind: 'take', instead }
  }

  /** The limit that an address or its subnet has reached; null for none. */
  #crowd(address: string, seats: readonly Seat[]): Crowd | null {
    const { limits } = this.#parts
    const inbound = seats.filter((seat) => seat.inbound && !seat.trusted)
    if (inbound.filter((seat) => seat.address === address).length >= limits.inboundPerAddress)
      return 'addressFull'
    const group = networkGroup(address)
    const inGroup = inbound.filter((seat) => networkGroup(seat.address) === group).length
    return inGroup >= limits.inboundPerGroup ? 'groupFull' : null
  }

  /**
   * Of two crossed connections both ends keep the one whose initiator has the lower id; otherwise each would
   * close the other's.
   */
  #isBetter(newcomer: Seat, same: Seat): boolean {
    if (newcomer.inbound === same.inbound || this.#parts.now() - same.connectedAt > CROSSING_MS) return false
    return newcomer.inbound === newcomer.id < this.#parts.ownId
  }
}
