import type { HeadNotice } from '../filters/events.ts'
import type { MiningWork, SolutionOutcome } from '../mining/interface.ts'
import { ReportedHashrates } from '../mining/reportedHashrates.ts'
import { WorkFeed } from '../mining/workFeed.ts'
import type { MiningCommands } from '../rpc/miningCommands.ts'
import type { MiningLink } from '../workers/miningLink.ts'

/** Mining as the front thread has it. */
export interface FrontMining {
  readonly commands: MiningCommands
  /** To be called with new work, before the head that it is built on. */
  workBuilt(work: MiningWork): void
  headChanged(notice: HeadNotice): void
  /** To be called before a command is answered that may have changed the head. */
  headMayHaveChanged(): void
}

/**
 * Puts the newest work and the way to the chain thread together.
 * @param freshTime milliseconds after which work is asked for again
 * @param now milliseconds since 1970
 */
export function createFrontMining(link: MiningLink, freshTime: number, now: () => number): FrontMining {
  const feed = new WorkFeed({ ask: () => link.work(), freshTime, now })
  const rates = new ReportedHashrates(now)
  const settled = async (submission: Promise<SolutionOutcome>) => {
    const outcome = await submission
    if (outcome.status === 'imported') feed.doubt()
    return outcome
  }
  return {
    commands: {
      work: () => feed.read(),
      submit: (solution) => settled(link.submit(solution)),
      submitTemplate: (solution) => settled(link.submitTemplate(solution)),
      reportHashrate: (rate, miner) => rates.report(miner, rate),
      reportedHashrate: () => rates.sum(),
      keepAwake: () => feed.keepAwake(),
    },
    workBuilt: (work) => feed.push(work),
    headMayHaveChanged: () => feed.doubt(),
    headChanged: ({ enacted, retracted }) => {
      // A rewind has no new block: whatever there was is of another chain.
      const isEdit = enacted.length === 0 && retracted.length === 0
      feed.headChanged(enacted.at(-1)?.hash ?? (isEdit ? null : NO_BLOCK))
    },
  }
}

const NO_BLOCK = Buffer.alloc(0)
