import type { Change } from '../../support/testBuild.ts'

/** A rule of fleet.md that members of a build break, and what shows it. */
export interface PlantedFault {
  readonly name: string
  /** Section of fleet.md. */
  readonly rule: string
  readonly off: readonly Change[]
  /** Parts of the names of the faults under which it shows. */
  readonly under: readonly string[]
  /** What the checker says then: rule and message of a violation. */
  readonly caughtBy: RegExp
}

export const PLANTED_FAULTS: readonly PlantedFault[] = [
  {
    name: 'a member that is cut off serves on',
    rule: 'fleet.md §2',
    off: [
      {
        file: 'gateway/entrance/fleetGate.ts',
        find: 'const isOver = !(this.#clock() < (this.#deadline[0] ?? 0))',
        replace: 'const isOver = false',
      },
      {
        file: 'gateway/entrance/fleetGate.ts',
        find: 'if (isDone(definition) || this.#clock() < (this.#deadline[0] ?? 0) || this.isIsolated) return null',
        replace: 'return null',
      },
      {
        file: 'fleet/member/memberLogic.ts',
        find: 'this.#isOver = isOver\n',
        replace: 'this.#isOver = isOver && false\n',
      },
    ],
    under: ['cut a member off', 'have a member stand still'],
    caughtBy: /^(head|logs): /,
  },
  {
    name: 'the leader waits for no other member before it moves the head',
    rule: 'fleet.md §3',
    off: [
      {
        file: 'fleet/member/leaderLogic.ts',
        find: 'return missing.size === 0',
        replace: 'return missing.size < _members.length',
      },
      {
        file: 'fleet/member/leaderLogic.ts',
        find: 'return (this.#applied?.members ?? []).every((id) => this.hasStopped(id, revision))',
        replace: 'return (this.#applied?.members ?? []).some((id) => this.hasStopped(id, revision))',
      },
    ],
    under: ['slow a member down', 'have a member stand still'],
    caughtBy: /^(head|logs): /,
  },
  {
    name: 'a member goes on answering during a round',
    rule: 'fleet.md §3',
    off: [
      {
        file: 'node/fleet/fleetFront.ts',
        find: 'hold: async (revision) => gate.hold(revision),',
        replace: 'hold: async () => undefined,',
      },
    ],
    under: ['slow a member down', 'have a member stand still'],
    caughtBy: /^(head|logs): /,
  },
  {
    name: 'a member serves that the head does not name',
    rule: 'fleet.md §3',
    off: [
      {
        file: 'fleet/member/memberLogic.ts',
        find: "if (applied.revision <= this.#floor || !applied.members.includes(this.#self)) return 'joining'",
        replace: '',
      },
      {
        file: 'fleet/member/memberLogic.ts',
        find: "if ((this.#isOver || this.#isFenced) && this.#leaving !== 'draining') return 'cutOff'",
        replace: '',
      },
      {
        file: 'fleet/member/leaderLogic.ts',
        find: 'return [...stay, ...join].sort()',
        replace: 'return [...new Set([...stay, ...join, this.#self])].slice(0, 1)',
      },
    ],
    under: ['slow a member down', 'have a member stand still'],
    caughtBy: /^(head|logs): /,
  },
  {
    name: 'a transaction is acknowledged before the log has it',
    rule: 'fleet.md §4',
    off: [
      {
        file: 'node/chainThread/fleetSends.ts',
        find: 'item.waiting.push(waiting)',
        replace: "waiting.resolve({ status: 'accepted', hash: signed.transaction.hash })",
      },
    ],
    under: ['cut a member off', 'kill all servers', 'kill a member'],
    caughtBy: /^acknowledged: /,
  },
  {
    name: 'a member says of its pool what others do not have yet',
    rule: 'fleet.md §4',
    off: [
      {
        file: 'node/chainThread/stableLog.ts',
        find: 'return admitted > stable ? admitted : null',
        replace: 'return admitted > stable && admitted === 0 ? admitted : null',
      },
    ],
    under: ['slow a member down', 'have a member stand still'],
    caughtBy: /^count: /,
  },
  {
    name: 'a filter is polled before its position is on disk',
    rule: 'fleet.md §6',
    off: [
      {
        file: 'fleet/filters/ownFilters.ts',
        find: 'await this.#options.store.move(filter.id, position)',
        replace: 'await Promise.resolve()',
      },
    ],
    under: ['kill a member'],
    caughtBy: /^filter: .* twice$/,
  },
  {
    name: 'usage that comes twice is added twice',
    rule: 'fleet.md §7',
    off: [
      {
        file: 'storage/access/fleetUsage.ts',
        find: 'if (last !== null && delta.sequence <= last) {',
        replace: 'if (false) {',
      },
      {
        // A member may read the stream again at any time: here it does so at each start and reconnection. Were no
        // position recorded instead, members would wait for one before they report usage, and report none.
        file: 'fleet/access/usageFlow.ts',
        find: 'else if (!isSame) await store.rewind(start)',
        replace: 'else await store.rewind(start)',
      },
    ],
    under: ['kill all servers', 'kill a member'],
    caughtBy: /^usage: .* when at most/,
  },
  {
    name: 'what is granted is not debited',
    rule: 'fleet.md §7',
    off: [
      {
        file: 'fleet/access/sharedBucket.ts',
        find: 'part.units = Math.max(0, part.units - own)',
        replace: '',
      },
      {
        file: 'fleet/access/sharedBucket.ts',
        find: 'this.#common = Math.max(0, this.#common - common)',
        replace: '',
      },
    ],
    // Without a fault clients get the most.
    under: ['reorganise the chain', 'slow a member down'],
    caughtBy: /^rate: /,
  },
  {
    name: 'what is given of a quota is not recorded',
    rule: 'fleet.md §7',
    off: [
      {
        file: 'fleet/access/quotaBlocks.ts',
        find: '{ reserved: reserved + taken, revision }',
        replace: '{ reserved, revision }',
      },
    ],
    under: ['reorganise the chain', 'slow a member down'],
    caughtBy: /^quota: /,
  },
  {
    name: 'a subscription that goes on is not told what happened since',
    rule: 'fleet.md §6',
    off: [
      {
        file: 'filters/catchUps.ts',
        find: 'if (announced?.equals(walk.at.hash) === true) {',
        replace: 'if (announced !== undefined) {',
      },
    ],
    // Blocks have to come while the client is told of none: it is on its way, or at a member that is behind.
    under: ['reorganise the chain', 'cut a member off', 'have a member stand still'],
    caughtBy: /^subscription: /,
  },
  {
    name: 'a key that is revoked is not taken over',
    rule: 'fleet.md §7',
    off: [
      {
        file: 'fleet/access/keyFollower.ts',
        find: 'this.#options.onKeys(keys, isWhole)',
        replace: 'this.#options.onKeys(keys.map((key) => ({ ...key, disabled: false })), isWhole)',
      },
    ],
    under: ['slow a member down'],
    caughtBy: /^key: /,
  },
  {
    name: 'a member keeps blocks that it acknowledged to itself',
    rule: 'fleet.md §5',
    off: [
      {
        file: 'node/chainThread/fleetChain.ts',
        find: 'if (this.#given.has(block.hashHex)) return []',
        // The first ones set the scene.
        replace: 'if (block.number > 3) return []',
      },
    ],
    under: ['kill a member'],
    caughtBy: /^acknowledged: /,
  },
]
