// What each light request costs, as JSON: `countMain.ts calls` or `countMain.ts bytes`. One process for each.
// Timers that repeat do not: they belong to no request, and run when they are due.
globalThis.setInterval = (() => ({ unref: () => undefined, ref: () => undefined })) as never

const { countBytes, countCalls } = await import('./counting.ts')
const { openLightScene } = await import('./lightScene.ts')
const { openSubjects } = await import('./rows.ts')
const scene = await openLightScene()
const count = process.argv[2] === 'bytes' ? countBytes : countCalls
const costs = await count(await openSubjects(scene))
await scene.close()
process.stdout.write(JSON.stringify(Object.fromEntries<unknown>(costs)))

export {}
