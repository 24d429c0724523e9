import { setTimeout as sleep } from 'node:timers/promises'
import { type Fault, faultsOf, rollingRestart } from '../availability/faults.ts'
import type { TestFleet } from '../cluster/testFleet.ts'

const SLOW_MS = 60
const DISK_FREE_BYTES = 64 * 1024

/**
 * Faults for so many rounds: all kinds come before one comes again, some with another one beside it.
 * @param more kinds beside those of this folder, which come alone
 */
export function randomFaults(
  fleet: TestFleet,
  rounds: number,
  random: () => number,
  more: readonly Fault[] = [],
): readonly Fault[] {
  const faults: Fault[] = []
  while (faults.length < rounds) {
    const kinds = [
      ...faultsOf(fleet),
      ...rollingRestart(fleet.members),
      ...slowMembers(fleet),
      ...fullDisk(fleet),
      ...more,
    ]
    for (let left = kinds.length; left > 0; left -= 1) {
      const [chosen] = kinds.splice(Math.floor(random() * left), 1) as [Fault]
      const [beside] = kinds
      // What is cut is healed as a whole, so that two cuts are one.
      const isPair =
        random() < 0.2 && beside !== undefined && !/cut|disk|all|cop/.test(chosen.name + beside.name)
      const isSame = beside !== undefined && processOf(chosen) === processOf(beside)
      faults.push(isPair && !isSame ? both(chosen, beside) : chosen)
    }
  }
  return faults.slice(0, rounds)
}

/** The process that a fault is of. */
function processOf({ name }: Fault): string {
  return /^(?:member|NATS server) \d+/.exec(name)?.[0] ?? name
}

function both(one: Fault, other: Fault): Fault {
  return {
    name: `${one.name} and ${other.name}`,
    hit: [...one.hit, ...other.hit],
    away: [...one.away, ...other.away],
    begin: async () => {
      await Promise.all([one.begin(), other.begin()])
    },
    end: async () => {
      await Promise.all([one.end(), other.end()])
    },
  }
}

/** Each member has little of the processor. */
function slowMembers({ members }: TestFleet): readonly Fault[] {
  return members.map((member, at) => {
    let isOver = false
    let done: Promise<void> = Promise.resolve()
    const crawl = async () => {
      while (!isOver) {
        member.signal('SIGSTOP')
        await sleep(SLOW_MS)
        member.signal('SIGCONT')
        await sleep(SLOW_MS / 2)
      }
    }
    return {
      name: `member ${at} slow`,
      hit: [at],
      away: [at],
      begin: async () => {
        done = crawl()
      },
      end: async () => {
        isOver = true
        await done
      },
    }
  })
}

/** The disk of the last member is full, where it has one of its own. */
function fullDisk({ disk, members }: TestFleet): readonly Fault[] {
  if (disk === null) return []
  const at = members.length - 1
  return [
    {
      name: `the disk of member ${at} full`,
      hit: [at],
      away: [at],
      begin: async () => disk.fill(DISK_FREE_BYTES),
      end: async () => disk.empty(),
    },
  ]
}
