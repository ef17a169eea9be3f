const ICON = new URL('../../../src/pages/icon.svg', import.meta.url).href

/** Draws the Tradepost logo mark, the same as on payer pages. */
export const Logo = ({ size = 28 }: { size?: number }) => (
  <img className="mark" src={ICON} width={size} height={size} alt="" />
)
