const ICON = new URL('../../../src/pages/icon.svg', import.meta.url).href

export const Logo = ({ size = 28 }: { size?: number }) => (
  <img className="mark" src={ICON} width={size} height={size} alt="" />
)
