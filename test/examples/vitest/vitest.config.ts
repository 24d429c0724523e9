import { defineConfig } from 'vitest/config'

// Vitest reads the configuration from the default export.
// biome-ignore lint/style/noDefaultExport: as above
export default defineConfig({
  root: import.meta.dirname,
  test: { include: ['*.spec.ts'], testTimeout: 60_000, hookTimeout: 60_000 },
})
