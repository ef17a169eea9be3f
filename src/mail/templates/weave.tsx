import { accentInks } from '../../pages/accent.ts'
import { Layout } from './pieces.tsx'

const THREADS = ['#0b5f45', '#d39a2d', '#2e3f7f', '#d39a2d', '#a8442a', '#d39a2d', '#0b5f45']
const [GREEN] = THREADS

const threadsOf = (color: string | undefined): string[] => {
  const accent = accentInks(color)?.light.accent
  return THREADS.map((thread) => (accent && thread === GREEN ? accent : thread))
}

const WIDTHS = ['40%', '3%', '12%', '3%', '15%', '3%', '24%']

/** The woven edge of our pages, as far as a mail can show it, in the merchant's colour. */
export const Weave = ({ color }: { color?: string | undefined }) => (
  <Layout>
    <tr>
      {threadsOf(color).map((colour, i) => (
        <td
          key={WIDTHS[i]}
          width={WIDTHS[i]}
          height="6"
          style={`background-color: ${colour}; font-size: 0; line-height: 6px;`}
        >
          {'\u00a0'}
        </td>
      ))}
    </tr>
  </Layout>
)
