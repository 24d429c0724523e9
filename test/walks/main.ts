import { parseArgs } from 'node:util'
import { createNode } from '../../src/library/developmentNode.ts'
import { type EnteredFunction, ThreadProfiles } from './threadProfiles.ts'
import { enteredOf, type Rounds, WALKS, withoutIdle } from './walks.ts'

const HELP = `npm run walks [-- --list]: files and functions of src/ that a request enters on its way, by thread

  --list   also prints them, one file a line`

const ROUNDS: Rounds = { warmUp: 3, counted: 6 }

const { values } = parseArgs({
  options: { list: { type: 'boolean', default: false }, help: { type: 'boolean', default: false } },
})
if (values.help) console.log(HELP)
else await printWalks(values.list)

async function printWalks(isListed: boolean): Promise<void> {
  const profiles = new ThreadProfiles(new URL('../../', import.meta.url).href)
  await profiles.open()
  const node = await createNode({ network: 'regtest' })
  console.log('| walk | thread | files | functions |\n| --- | --- | --- | --- |')
  try {
    const lines: string[] = []
    // What timers enter all the time belongs to no request.
    const idle = await enteredOf(null, node.url, profiles, ROUNDS)
    for (const walk of WALKS) {
      for (const [thread, entered] of withoutIdle(await enteredOf(walk, node.url, profiles, ROUNDS), idle)) {
        const files = [...new Set(entered.map(({ file }) => file))].sort()
        console.log(`| ${walk.name} | ${thread} | ${files.length} | ${entered.length} |`)
        lines.push(
          `\n${walk.name}, ${thread}`,
          ...files.map((file) => `  ${file}: ${namesOf(entered, file)}`),
        )
      }
    }
    if (isListed) console.log(lines.join('\n'))
  } finally {
    await node.stop()
    profiles.close()
  }
}

function namesOf(entered: readonly EnteredFunction[], file: string): string {
  return entered
    .filter((one) => one.file === file)
    .map(({ name }) => name || '(anonymous)')
    .join(', ')
}
