const ICON = new URL('../../../src/pages/icon.svg', import.meta.url).href

/** The mark of Tradepost, as on the payers' pages. */
export const Mark = ({ size = 28 }: { size?: number }) => (
  <img className="mark" src={ICON} width={size} height={size} alt="" />
)
