import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin } from 'vite'

/**
 * Payer pages follow the system's colour scheme, but dashboard users can choose one. Both use the
 * same tokens, so here the dark ones depend on Mantine's attribute.
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
    // The server's strict policy doesn't allow inlined files.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    target: 'es2022',
    // A release contains the build, and so must contain the licences of the packages in it.
    license: { fileName: 'licences.md' },
  },
})
