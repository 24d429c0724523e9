import { DISCONNECT_REASONS } from '../messages/codes.ts'
import type { ConnectRate } from './connectRate.ts'
import { chooseEvicted, type Seat } from './eviction.ts'
import type { PeerLimits } from './limits.ts'
import { networkGroup } from './networkGroup.ts'
import type { PeerJudge } from './ports.ts'
import type { RecentDrops } from './recentDrops.ts'

/** Why an address gets no further place. */
type Crowd = 'addressFull' | 'groupFull'

/** Why a socket is closed before the handshake. */
export type ScreenRefusal = 'banned' | 'sentAway' | 'tooOften' | Crowd

/** What becomes of a connection after HELLO. */
export type Placement =
  | { readonly kind: 'take'; readonly instead: Seat | null }
  /** @member reason of DISCONNECT; null: closed without */
  | { readonly kind: 'refuse'; readonly why: PlaceRefusal; readonly reason: number | null }

/** Why a connection finds no place. */
export type PlaceRefusal = 'banned' | 'self' | 'duplicate' | 'full' | Crowd

/** Two nodes that dial one another at the same time see both connections within so many milliseconds. */
const CROSSING_MS = 5000

/** Who decides whether connections find a place. */
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

/** Places of peers: how many, for whom, and who leaves for whom (p2p.md §7). */
export class PeerAdmission {
  readonly #parts: PeerAdmissionParts

  constructor(parts: PeerAdmissionParts) {
    this.#parts = parts
  }

  /**
   * Looks at a socket that was accepted.
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

  /** Decides after HELLO. @param newcomer with what is known of it by now */
  place(newcomer: Seat, seats: readonly Seat[], isRhizome: boolean): Placement {
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
    // Several handshakes can have begun while there was room for one.
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

  /** Whether an address or its block has as many places as it gets. */
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
   * Of two connections that crossed, both ends keep the one whose dialler has the lower id; else each would send the
   * other's away, and none were left.
   */
  #isBetter(newcomer: Seat, same: Seat): boolean {
    if (newcomer.inbound === same.inbound || this.#parts.now() - same.connectedAt > CROSSING_MS) return false
    return newcomer.inbound === newcomer.id < this.#parts.ownId
  }
}
