// What each light request costs, as JSON: `countMain.ts calls` or `countMain.ts bytes`. One process for each.
// Timers that repeat do not: they belong to no request, and run when they are due.
globalThis.setInterval = (() => ({ unref: () => undefined, ref: () => undefined })) as never

const { countBytes, countCalls, watchAddon } = await import('./counting.ts')
const { openLightScene } = await import('./lightScene.ts')
const { openSubjects } = await import('./rows.ts')
const natives = process.argv[2] === 'bytes' ? null : watchAddon()
const scene = await openLightScene()
const subjects = await openSubjects(scene)
const costs = await (natives === null ? countBytes(subjects) : countCalls(subjects, natives))
await scene.close()
process.stdout.write(JSON.stringify(Object.fromEntries<unknown>(costs)))

export {}
