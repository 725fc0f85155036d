import jsqr from "jsqr";
import png from "pngjs";

// What an independent decoder reads in a PNG.
export function decodeQr(bytes) {
  const { data, width, height } = png.PNG.sync.read(bytes);
  return jsqr(new Uint8ClampedArray(data), width, height)?.data;
}
