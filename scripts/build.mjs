// Prepares a release: `npm pack` runs this after set-up, which has built the dashboard. The server
// goes into dist/, together with every package that is only JavaScript. An install then adds only
// what can't be bundled: programs and fonts (`dependencies` in package.json).

import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { build } from 'vite'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const { dependencies } = JSON.parse(readFileSync(`${ROOT}package.json`, 'utf8'))

await build({
  root: ROOT,
  configFile: false,
  logLevel: 'warn',
  publicDir: false,
  plugins: [
    {
      name: 'nothing-to-compile',
      load: (id) => (id.endsWith('/src/loader.js') ? 'export {}' : undefined),
    },
  ],
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  ssr: { noExternal: true, external: Object.keys(dependencies) },
  build: {
    ssr: true,
    outDir: 'dist',
    emptyOutDir: true,
    target: 'node24',
    license: { fileName: 'licences.md' },
    rolldownOptions: {
      input: { main: 'src/cli/main.ts', worker: 'src/pdf/worker.js' },
      // All in one folder, because src/root.ts and src/pdf/printer.ts find files relative to it.
      output: { entryFileNames: '[name].js', chunkFileNames: '[name]-[hash].js' },
    },
  },
})
