import type { HeadNotice } from '../filters/events.ts'
import type { MiningWork } from '../mining/interface.ts'
import { ReportedHashrates } from '../mining/reportedHashrates.ts'
import { WorkFeed } from '../mining/workFeed.ts'
import type { MinerCommands, MiningCommands } from '../rpc/miningCommands.ts'

/** Mining as the front thread has it. */
export interface FrontMining {
  readonly commands: MiningCommands
  /** To be called with new work, before the head that it is built on. */
  workBuilt(work: MiningWork): void
  headChanged(notice: HeadNotice): void
  /** To be called when blocks are made with something else from now on. */
  settingsChanged(): void
}

/**
 * Puts the newest work and the way to the chain thread together.
 * @param freshTime milliseconds after which work is asked for again
 * @param now milliseconds since 1970
 */
export function createFrontMining(chain: MinerCommands, freshTime: number, now: () => number): FrontMining {
  const feed = new WorkFeed({ ask: () => chain.work(), freshTime, now })
  const rates = new ReportedHashrates(now)
  return {
    commands: {
      work: () => feed.read(),
      submit: (solution) => chain.submit(solution),
      submitTemplate: (solution) => chain.submitTemplate(solution),
      reportHashrate: (rate, miner) => rates.report(miner, rate),
      reportedHashrate: () => rates.sum(),
      keepAwake: () => feed.keepAwake(),
    },
    workBuilt: (work) => feed.push(work),
    settingsChanged: () => feed.doubt(),
    headChanged: ({ enacted, retracted }) => {
      // A rewind has no new block: whatever there was is of another chain.
      const isEdit = enacted.length === 0 && retracted.length === 0
      feed.headChanged(enacted.at(-1)?.hash ?? (isEdit ? null : NO_BLOCK))
    },
  }
}

const NO_BLOCK = Buffer.alloc(0)
