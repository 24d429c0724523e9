import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Fault } from '../availability/faults.ts'
import type { MemberProcess } from '../cluster/memberProcess.ts'
import type { TestFleet } from '../cluster/testFleet.ts'
import type { CountedUse } from './countedUse.ts'

const READY_MS = 120_000
const REPORTED_MS = 3000
/** Folder of the keys and counters in a data directory, and the files that a member is known by. */
const ACCESS = 'access'
const IDENTITY = ['fleet.json', 'node.key']

/** What operators do to the stores of members. */
export class StoreFaults {
  readonly #folder = mkdtempSync(join(tmpdir(), 'rhizome-copies-'))
  /** Older copies of access stores, by member. */
  readonly #older = new Map<number, string>()
  readonly #use: CountedUse
  /** The node that runs over a copied directory now. */
  #copy: MemberProcess | null = null

  constructor(use: CountedUse) {
    this.#use = use
  }

  /** Faults of each member, in an order in which a copy is made before it is put back. */
  of(fleet: TestFleet): readonly Fault[] {
    return fleet.members.flatMap((member, at) => [
      this.#olderStore(member, at),
      this.#copied(fleet, member, at),
    ])
  }

  /** Ends what still runs over a copy, and removes the copies. */
  async remove(): Promise<void> {
    await this.#copy?.end('SIGKILL')
    rmSync(this.#folder, { recursive: true, force: true })
  }

  /** The member comes back with its access store of an earlier round. */
  #olderStore(member: MemberProcess, at: number): Fault {
    return {
      name: `member ${at} with an older copy of its access store`,
      hit: [at],
      away: [at],
      begin: async () => {
        await member.end('SIGTERM')
        const store = join(member.dataDir, ACCESS)
        const kept = this.#older.get(at)
        const copy = join(this.#folder, `${at}`)
        if (kept === undefined) cpSync(store, copy, { recursive: true })
        else {
          rmSync(store, { recursive: true })
          cpSync(kept, store, { recursive: true })
        }
        this.#older.set(at, copy)
      },
      end: async () => {
        await member.start()
        await member.untilReady(READY_MS)
      },
    }
  }

  /** Another node runs over a copy of the data of a member. */
  #copied(fleet: TestFleet, member: MemberProcess, at: number): Fault {
    const path = join(this.#folder, `copy-${at}`)
    return {
      name: `the directory of member ${at} copied`,
      hit: [at],
      away: [at],
      begin: async () => {
        await member.end('SIGTERM')
        cpSync(member.dataDir, path, { recursive: true })
        await member.start()
        await member.untilReady(READY_MS)
        for (const name of IDENTITY) rmSync(join(path, name), { force: true })
        this.#copy = await fleet.startCopy(path)
        await this.#copy.untilReady(READY_MS)
        this.#use.join(this.#copy)
      },
      end: async () => {
        await this.#use.leave()
        // What a stop cannot tell in time the next process over the directory would, and there will be none.
        await sleep(REPORTED_MS)
        await this.#copy?.end('SIGTERM')
        this.#copy = null
        rmSync(path, { recursive: true, force: true })
      },
    }
  }
}
