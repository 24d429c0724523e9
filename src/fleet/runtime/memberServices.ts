import type { FleetFrontService, MemberId } from '../interface.ts'
import { type Announcement, decodeAnnouncement, encodeAnnouncement } from '../member/announcement.ts'
import type { FleetMember } from '../member/fleetMember.ts'
import type { MemberBus } from '../member/memberPorts.ts'
import {
  decodePrepare,
  decodePrepareAnswer,
  encodePrepare,
  encodePrepareAnswer,
  type PrepareAnswer,
  type PrepareRequest,
} from '../member/prepare.ts'
import type { MemberCalls } from '../nats/calls.ts'
import type { FleetNames } from '../nats/names.ts'
import type { FleetConnection } from '../nats/natsConnection.ts'

const PREPARE_SERVICE = 'prepare'
const PREPARE_BYTES = 4096
/** Lets this member leave (fleet.md §10); called by `rhizome fleet drain`. */
const DRAIN_SERVICE = 'drain'
/** Services that the front thread answers (fleet.md §10). */
const FRONT_SERVICES = ['filter', 'search'] as const
const PREPARES_AT_ONCE = 16
const FRONT_CALLS_AT_ONCE = 64

/** Messages of rounds over NATS. */
export class NatsMemberBus implements MemberBus {
  readonly #connection: FleetConnection
  readonly #names: FleetNames
  readonly #calls: MemberCalls
  readonly #maySpeak: () => boolean

  /** @param maySpeak whether what this member says of itself is of the log as it is */
  constructor(connection: FleetConnection, names: FleetNames, calls: MemberCalls, maySpeak: () => boolean) {
    this.#connection = connection
    this.#names = names
    this.#calls = calls
    this.#maySpeak = maySpeak
  }

  announce(announcement: Announcement): void {
    if (!this.#connection.isConnected || !this.#maySpeak()) return
    this.#connection.nats.publish(this.#names.executedSubject, encodeAnnouncement(announcement))
  }

  async prepare(member: MemberId, request: PrepareRequest, milliseconds: number): Promise<PrepareAnswer> {
    const options = { milliseconds, limit: PREPARE_BYTES }
    return decodePrepareAnswer(
      await this.#calls.call(member, PREPARE_SERVICE, encodePrepare(request), options),
    )
  }
}

export interface MemberServicesOptions {
  readonly connection: FleetConnection
  readonly names: FleetNames
  readonly calls: MemberCalls
  readonly member: FleetMember
  readonly front: Pick<FleetFrontService, 'answer'>
  drain(): Promise<void>
  /** A message does not parse and is left out. */
  skipped(): void
}

/** Answers other members, and hears what they announce. @returns a function that ends the latter */
export function serveMembers(options: MemberServicesOptions): () => void {
  const { connection, names, calls, member, front, drain, skipped } = options
  calls.serve(
    PREPARE_SERVICE,
    async (payload) => encodePrepareAnswer(await member.prepare(decodePrepare(payload))),
    { concurrency: PREPARES_AT_ONCE },
  )
  calls.serve(
    DRAIN_SERVICE,
    async () => {
      await drain()
      return Buffer.alloc(0)
    },
    { concurrency: 1 },
  )
  for (const name of FRONT_SERVICES)
    calls.serve(name, (payload) => front.answer(name, payload), { concurrency: FRONT_CALLS_AT_ONCE })
  const subscription = connection.nats.subscribe(names.executedSubject, {
    callback: (error, message) => {
      if (error !== null) return
      try {
        member.heard(decodeAnnouncement(message.data))
      } catch {
        skipped()
      }
    },
  })
  return () => subscription.unsubscribe()
}
