// What each stage costs beside time, as JSON: `stageCounts.ts calls`, `bytes` or `time`.
import type { TemplatedApp } from 'uWebSockets.js'
import type { Subject } from '../../test/guard/counting.ts'
import type { Access } from '../../test/guard/lightScene.ts'

// Timers that repeat belong to no request, and run when they are due.
globalThis.setInterval = (() => ({ unref: () => undefined, ref: () => undefined })) as never

const { listen } = await import('../../src/front/server.ts')
const { countBytes, countCalls, countTime, watchAddon } = await import('../../test/guard/counting.ts')
const { fewHeaders, openLightScene, pageHeaders, pathOf, SOCKET_HEADERS } = await import(
  '../../test/guard/lightScene.ts'
)
const { ScriptedLibrary } = await import('../../test/guard/scriptedLibrary.ts')
const { ACCESSES, BODY, labelOf, SOCKETS } = await import('./ledgerRows.ts')
const { HTTP_STAGES, SOCKET_STAGES } = await import('./stages.ts')

/** As many as a client may send before the end of a turn is waited for. */
const PER_TURN = 16

const what = process.argv[2]
const natives = what === 'calls' ? watchAddon() : null
const scene = await openLightScene()
const body = new TextEncoder().encode(BODY).buffer

async function subjectsOf(access: Access): Promise<Subject[]> {
  const front = scene.front(access)
  const subject = async (
    transport: string,
    stage: (typeof HTTP_STAGES)[number],
    send: SendOf,
  ): Promise<Subject> => {
    const library = new ScriptedLibrary()
    if (stage.add === null) await listen(library.library, front.routes)
    else stage.add(library.library.App({}) as TemplatedApp, front)
    if (transport === SOCKETS) library.open(pathOf(access), SOCKET_HEADERS)
    return { name: labelOf(access, transport, stage.name), library, perTurn: PER_TURN, send: send(library) }
  }
  const subjects: Subject[] = []
  // The front as it is comes first, so that what is read is in memory for the others.
  for (const [count, headers] of [
    ['3 headers', fewHeaders(body.byteLength)],
    ['9 headers', pageHeaders(body.byteLength)],
  ] as const)
    for (const stage of HTTP_STAGES.toReversed())
      subjects.push(
        await subject(count, stage, (library) => () => library.request(pathOf(access), headers, body)),
      )
  for (const stage of SOCKET_STAGES.toReversed())
    subjects.push(await subject(SOCKETS, stage, (library) => () => library.message(body)))
  return subjects
}

type SendOf = (library: InstanceType<typeof ScriptedLibrary>) => () => void

const subjects: Subject[] = []
for (const access of ACCESSES) subjects.push(...(await subjectsOf(access)))
const uncounted = what === 'time' ? countTime : countBytes
const costs = await (natives === null ? uncounted(subjects) : countCalls(subjects, natives))
await scene.close()
process.stdout.write(JSON.stringify(Object.fromEntries<unknown>(costs)))
