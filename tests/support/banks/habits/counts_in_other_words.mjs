export default {
  what: 'counts its payments in words of its own, too',
  source: 'https://docs.payzu.com.br/docs/pix/pagination',
  page(page) {
    const { paginaAtual, quantidadeDePaginas, quantidadeTotalDeItens } = page.parametros.paginacao;
    const hasNextPage = paginaAtual + 1 < quantidadeDePaginas;
    page.total = quantidadeTotalDeItens;
    page.pagination = { totalItems: quantidadeTotalDeItens, totalPages: quantidadeDePaginas, hasNextPage };
    page.last = !hasNextPage;
  },
};
