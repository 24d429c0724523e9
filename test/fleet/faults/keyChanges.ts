import { setTimeout as sleep } from 'node:timers/promises'
import type { Fault } from '../availability/faults.ts'
import type { MemberProcess } from '../cluster/memberProcess.ts'
import type { TestFleet } from '../cluster/testFleet.ts'
import { until } from '../cluster/until.ts'
import type { RoundHook } from './roundHooks.ts'

const ID = 'flip'
/** Every so many rounds the key is revoked and given back by the bucket. */
const REVOKED_EACH = 10
const AGREE_LOOKS = 200
const CHANGE_LOOKS = 20
const CHANGE_PAUSE_MS = 500

/** Changes of a key by the command line. */
type Change = 'disable' | 'enable'

/**
 * Keys are those of the fleet (fleet.md §6): while no NATS server runs two members change the same key; when all is whole
 * the change that wins is in force at all members and in the bucket. A revoked key opens no member.
 */
export class KeyChanges implements RoundHook {
  readonly name = 'keys'
  readonly #random: () => number
  #fleet: TestFleet | null = null
  #secret = ''
  /** True while the key is disabled; null before a change that waits to be looked at. */
  #expected: boolean | null = null
  #rounds = 0
  /** How often the key was changed at two members without NATS. */
  pairs = 0

  constructor(random: () => number) {
    this.#random = random
  }

  async begin(fleet: TestFleet): Promise<void> {
    this.#fleet = fleet
    this.#secret = await fleet.makeKey(ID)
    await this.#untilAll(200)
  }

  async duringFault({ name }: Fault): Promise<void> {
    if (name !== 'all NATS servers killed') return
    const { members } = this.#open()
    const first = Math.floor(this.#random() * members.length)
    const [one, other] = [members[first], members[(first + 1) % members.length]] as [
      MemberProcess,
      MemberProcess,
    ]
    // The higher version wins: one that was made more often, or of as many changes the later one.
    const [isDisabled, changes] = choose<readonly [boolean, readonly (readonly [MemberProcess, Change])[]]>(
      this.#random(),
      [
        [
          true,
          [
            [other, 'disable'],
            [other, 'enable'],
            [other, 'disable'],
            [one, 'disable'],
            [one, 'enable'],
          ],
        ],
        [
          false,
          [
            [one, 'disable'],
            [one, 'enable'],
            [other, 'disable'],
          ],
        ],
        [
          true,
          [
            [one, 'enable'],
            [other, 'disable'],
          ],
        ],
      ],
    )
    for (const [member, change] of changes) await this.#change(change, member)
    this.#expected = isDisabled
    this.pairs += 1
  }

  async afterRound(): Promise<readonly string[]> {
    this.#rounds += 1
    const broken: string[] = []
    if (this.#expected !== null) {
      broken.push(...(await this.#broken(this.#expected ? 401 : 200, 'after two changes without NATS')))
      const listed = await this.#open().command(['key', 'list'])
      if (new RegExp(`^${ID} +disabled`, 'm').test(listed) !== this.#expected)
        broken.push(`the bucket has another change of the key: ${listed}`)
    }
    if (this.#expected !== null || this.#rounds % REVOKED_EACH === 0) {
      await this.#change('disable')
      broken.push(...(await this.#broken(401, 'after it was revoked')))
      await this.#change('enable')
      broken.push(...(await this.#broken(200, 'after it was given back')))
    }
    this.#expected = null
    return broken
  }

  async #broken(status: number, when: string): Promise<readonly string[]> {
    return this.#untilAll(status).then(
      () => [],
      async () => [`members answer ${(await this.#statuses()).join(', ')} and not ${status} ${when}`],
    )
  }

  #untilAll(status: number): Promise<void> {
    const isSo = async () => (await this.#statuses()).every((seen) => seen === status)
    return until(`all answer ${status}`, isSo, AGREE_LOOKS)
  }

  /** HTTP statuses with which members answer a request with the key. */
  #statuses(): Promise<number[]> {
    return Promise.all(
      this.#open().members.map(async ({ origin }) => {
        const response = await fetch(`${origin}/${this.#secret}`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_chainId', params: [] }),
        })
        await response.arrayBuffer()
        return response.status
      }),
    )
  }

  /** By the bucket unless a member is given. A bucket whose servers have just come back is asked again. */
  async #change(change: Change, member?: MemberProcess): Promise<void> {
    const words = ['key', change, ...(member === undefined ? [] : ['--local']), ID]
    let result = await this.#open().run(words, member)
    for (let look = 0; result.code !== 0 && member === undefined && look < CHANGE_LOOKS; look += 1) {
      await sleep(CHANGE_PAUSE_MS)
      result = await this.#open().run(words, member)
    }
    if (result.code !== 0) throw new Error(`${words.join(' ')}: ${result.stderr}`)
  }

  #open(): TestFleet {
    if (this.#fleet === null) throw new Error('the rounds have not begun')
    return this.#fleet
  }
}

function choose<T>(chance: number, kinds: readonly T[]): T {
  return kinds[Math.floor(chance * kinds.length)] as T
}
