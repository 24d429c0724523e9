import type { FileResult } from './fileResult.ts'
import { SLOWEST } from './queues.ts'
import type { TestFile } from './testFiles.ts'

/** How many files run at the same time. */
export interface Jobs {
  /** Of those that compute. */
  readonly computing: number
  /** Of those that wait, beside them. */
  readonly waiting: number
}

/** Runs files, each as soon as there is a place for it in its queue, the slowest first. */
export async function runQueues(
  files: readonly TestFile[],
  jobs: Jobs,
  run: (file: TestFile) => Promise<FileResult>,
  report: (result: FileResult) => void,
): Promise<void> {
  const work = async (queue: Iterator<TestFile>) => {
    for (let next = queue.next(); next.done !== true; next = queue.next()) report(await run(next.value))
  }
  const queues = [
    { queue: inOrder(files.filter(({ waits }) => !waits)), places: jobs.computing },
    { queue: inOrder(files.filter(({ waits }) => waits)), places: jobs.waiting },
  ]
  await Promise.all(queues.flatMap(({ queue, places }) => Array.from({ length: places }, () => work(queue))))
}

function inOrder(files: readonly TestFile[]): Iterator<TestFile> {
  const rank = ({ path }: TestFile) => {
    const found = SLOWEST.indexOf(path)
    return found < 0 ? SLOWEST.length : found
  }
  return [...files].sort((a, b) => rank(a) - rank(b)).values()
}
