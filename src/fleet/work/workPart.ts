import { deflateRawSync, inflateRawSync } from 'node:zlib'
import { FleetError } from '../errors.ts'
import { MEMBER_ID } from '../memberFile.ts'
import type { FleetPart, FleetPartContext } from '../part.ts'

const MEMBER_BYTES = 8
/** Bytes that a message needs beside what is in it. */
const HEADER_ROOM = 1024
const FAST = { level: 1 }

/**
 * Templates for pools in the fleet thread (fleet.md §9): those that were built here go to all, and theirs to the chain.
 */
export class WorkPart implements FleetPart {
  readonly name = 'work'
  readonly #largest: number
  #context: FleetPartContext | null = null
  #end: () => void = () => undefined

  /** @param largest template, bytes */
  constructor(largest: number) {
    this.#largest = largest
  }

  async start(context: FleetPartContext): Promise<void> {
    this.#context = context
    this.#end = context.subscribe(context.names.subject('work'), (data) => this.#heard(context, data))
  }

  async stop(): Promise<void> {
    this.#end()
    this.#context = null
  }

  /** One that is larger than a message counts at this member alone. */
  tellWork(template: Buffer): void {
    if (this.#context === null) return
    const { nats, names, view, count } = this.#context
    if (!view.connected) return
    const bytes = Buffer.concat([Buffer.from(view.self, 'hex'), deflateRawSync(template, FAST)])
    if (bytes.length > (nats.info?.max_payload ?? 0) - HEADER_ROOM) {
      count('largeWork')
      return
    }
    nats.publish(names.subject('work'), bytes)
    count('toldWork')
  }

  #heard({ chain, view, count }: FleetPartContext, data: Buffer): void {
    const from = data.subarray(0, MEMBER_BYTES).toString('hex')
    if (!MEMBER_ID.test(from)) throw new FleetError('Malformed', 'work of no member')
    const template = inflateRawSync(data.subarray(MEMBER_BYTES), { maxOutputLength: this.#largest })
    if (!view.connected || from === view.self) return
    chain.takeWork(from, template).then(
      () => count('heardWork'),
      () => count('skippedWork'),
    )
  }
}
