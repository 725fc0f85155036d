import { formatMoney } from "../../app/format";
import { t } from "../../app/i18n";
import { Picture } from "./logo_field";

const brand = "#0b6b3a";
const sampleCents = 4990;

// Black or white, whichever has the greater contrast (WCAG 2.2), as on the payment page.
function inkOn(color: string): string {
  const [red, green, blue] = [1, 3, 5].map((at) => {
    const part = parseInt(color.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red! + 0.7152 * green! + 0.0722 * blue! > 0.1791 ? "#000000" : "#ffffff";
}

export interface PagePreviewProps {
  name: string;
  logo: string;
  color: string;
  contact: string;
}

// The payment page with settings that may not be saved yet. Its colours are attributes of SVG, since the pages' policy
// forbids inline styles.
export function PagePreview({ name, logo, color, contact }: PagePreviewProps) {
  const back = /^#[0-9a-f]{6}$/i.test(color) ? color : brand;
  return (
    <figure class="preview">
      <figcaption class="soft small">{t("stPreview")}</figcaption>
      <div class="preview-page" aria-hidden="true">
        <p class="preview-shop">
          {logo && <Picture dataUrl={logo} />}
          <span class="strong">{name}</span>
        </p>
        <div class="preview-card">
          <p class="big">{formatMoney(sampleCents)}</p>
          <p class="strong">{t("stPreviewState")}</p>
          <svg class="preview-button">
            <rect width="100%" height="100%" rx="8" fill={back} data-preview-color={back} />
            <text x="50%" y="50%" dominant-baseline="central" text-anchor="middle" fill={inkOn(back)}>
              {t("stPreviewCopy")}
            </text>
          </svg>
        </div>
        {contact && <p class="soft small">{t("stPreviewContact", { contact })}</p>}
      </div>
    </figure>
  );
}
