import { convertChain } from '../../src/storage/formats/chainFormat.ts'
import { DOUBLING_FORMATS, doubling } from './doubling.ts'

/** Converts the chain store in a folder and kills itself at a batch, inside of it or behind it. */
const [folder = '', batch = '', where = ''] = process.argv.slice(2)

let batches = 0
const die = (at: string) => {
  if (batches === Number(batch) && at === where) process.kill(process.pid, 'SIGKILL')
}
const step = doubling()
await convertChain(folder, {
  supported: DOUBLING_FORMATS,
  steps: [
    {
      ...step,
      convert: (writer, after) => {
        batches += 1
        const result = step.convert(writer, after)
        die('inside')
        return result
      },
    },
  ],
  onProgress: () => die('behind'),
})
