import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin } from 'vite'

/**
 * The payer's pages follow the system; people of the dashboard may choose. The tokens are the same,
 * so their dark half hangs on Mantine's attribute here.
 */
const darkByChoice: Plugin = {
  name: 'dark-by-choice',
  enforce: 'pre',
  transform(code, id) {
    if (!id.endsWith('styles/tokens.css')) return undefined
    return code.replace(
      /@media \(prefers-color-scheme: dark\) \{\s*:root \{([^}]*)\}\s*\}/,
      ":root[data-mantine-color-scheme='dark'] {$1}",
    )
  },
}

export default defineConfig({
  root: import.meta.dirname,
  plugins: [darkByChoice, react()],
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    assetsDir: 'dashboard-assets',
    // What the strict policy of the server lets through: no inlined files.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    target: 'es2022',
  },
})
